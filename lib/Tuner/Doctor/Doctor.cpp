//===- Doctor.cpp - Checks of a machine for tuning ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor/DoctorChecks.h"
#include "Measure/EngineDevice.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

StringRef getCheckStatusName(CheckStatus status) {
  switch (status) {
  case CheckStatus::Ok:
    return "ok";
  case CheckStatus::Warning:
    return "warning";
  case CheckStatus::Error:
    return "error";
  }
  llvm_unreachable("covered switch");
}

bool Diagnosis::hasErrors() const {
  return any_of(checks, [](const Check &check) {
    return check.status == CheckStatus::Error;
  });
}

/// Opens the device, or reports the missing part.
static std::unique_ptr<Device> checkDevice(Checks &checks,
                                           const EngineOptions &options) {
  Expected<std::unique_ptr<Device>> device = openEngineDevice(options);
  if (device) {
    const DeviceProperties &properties = (*device)->getProperties();
    checks.ok(
        "device",
        formatv("{0}, compute capability {1}.{2}, {3} SMs, {4:f1} GiB",
                properties.name, properties.major, properties.minor,
                properties.smCount,
                static_cast<double>(properties.globalMemory) / (1 << 30)));
    return std::move(*device);
  }
  std::string why = toString(device.takeError());
  StringRef text = why;
  StringRef advice =
      text.contains("cannot load libcuda")
          ? "install NVIDIA's driver; in a container, start it with the GPUs "
            "(--gpus all). --device=emulator needs none, --compile-only "
            "neither"
      : text.contains("no device ") || text.contains("finds no device") ||
              text.contains("NO_DEVICE")
          ? "`nvidia-smi -L` lists the GPUs; look at --device and "
            "$CUDA_VISIBLE_DEVICES"
          : "`nvidia-smi` may say more; a driver that was updated needs a "
            "restart of the machine";
  checks.fail("device", why, advice);
  return nullptr;
}

/// The names of the schedules that the chip can run.
static std::string listSchedules(const ChipInfo &chip) {
  std::vector<StringRef> names;
  for (const ScheduleFamily *family : getFamilies()) {
    KernelConfig config;
    config.schedule = family->getSchedule();
    // Other rules depend on parameters, which are not chosen here.
    if (none_of(findViolations(config, chip, ProblemInfo()),
                [](const Violation &broken) { return broken.rule == "chip"; }))
      names.push_back(getScheduleName(config.schedule));
  }
  return join(names, ", ");
}

/// The target chip; none if tcgemm has no chip for the device.
static std::optional<std::string>
checkChip(Checks &checks, const DeviceProperties &properties) {
  std::string name = getDeviceChip(properties);
  Expected<const ChipInfo &> chip = lookupChip(name);
  if (!chip) {
    checks.fail("chip", toString(chip.takeError()),
                "kernels cannot be compiled for this GPU");
    return std::nullopt;
  }
  checks.ok("chip", name + ": schedules " + listSchedules(*chip));
  return name;
}

Diagnosis diagnose(const DoctorOptions &options) {
  EngineOptions engine;
  engine.device = options.device;
  Diagnosis diagnosis;
  Checks checks(diagnosis.checks);
  bool isEmulator = options.device == "emulator";
  std::unique_ptr<Device> device = checkDevice(checks, engine);
  std::optional<std::string> chip;
  if (device) {
    diagnosis.hasDevice = true;
    if (!isEmulator)
      checks.ok("driver", device->getProperties().driver +
                              " is the newest CUDA that it takes");
    chip = checkChip(checks, device->getProperties());
  }
  std::optional<Ptxas> ptxas =
      checkPtxas(checks, options, /*isNeeded=*/!isEmulator);
  if (!isEmulator) {
    if (device && ptxas && chip)
      checkCubin(checks, *device, *ptxas, *chip);
    if (device)
      checkMonitor(checks, device->getProperties());
    checkCounters(checks, options.driverParameters);
  }
  checkDatabase(checks, options.database);
  checkDisk(checks, options.database);
  return diagnosis;
}

} // namespace tcgemm
