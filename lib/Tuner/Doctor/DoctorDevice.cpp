//===- DoctorDevice.cpp - Checks of the GPU -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor/DoctorChecks.h"
#include "tcgemm/Runtime/DeviceMonitor.h"
#include "tcgemm/Tuner/Engine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace llvm;

namespace tcgemm {

/// A minimal program, because only its compiler matters.
static constexpr StringLiteral kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry doctor()
{
  ret;
}
)";

void checkCubin(Checks &checks, Device &device, const Ptxas &ptxas,
                StringRef chip) {
  Expected<PtxasResult> result = ptxas.assemble(kPtx, chip);
  if (!result) {
    checks.fail("cubin", toString(result.takeError()),
                "this ptxas does not know " + chip +
                    ": give a newer one (--ptxas, $TCGEMM_PTXAS)");
    return;
  }
  Expected<std::unique_ptr<Module>> module =
      device.loadModule({"", result->cubin});
  if (module) {
    checks.ok("cubin", "the driver loads what ptxas makes for " + chip);
    return;
  }
  std::string why = toString(module.takeError());
  checks.fail("cubin",
              "the driver does not load what ptxas makes for " + chip + ": " +
                  why,
              isForeignCode(why) ? getForeignCodeAdvice()
                                 : "`nvidia-smi` may say what ails the GPU");
}

static void checkClocks(Checks &checks, const DeviceState &state,
                        const DeviceLimits &limits) {
  auto print = [](std::optional<int64_t> now, std::optional<int64_t> most) {
    return (now ? std::to_string(*now) : "?") + " of " +
           (most ? std::to_string(*most) : "?") + " MHz";
  };
  std::string text = "SM " + print(state.smClock, limits.maxSMClock) +
                     ", memory " +
                     print(state.memoryClock, limits.maxMemoryClock);
  if (state.temperature)
    text += formatv(", {0} C", *state.temperature);
  std::string throttling = state.getThrottling();
  int64_t events = state.clockEvents.value_or(0);
  if (!throttling.empty())
    checks.warn("clocks", text + ", throttled: " + throttling,
                "times will vary: let the GPU cool, or look for who else loads "
                "it");
  else if (events & (kClockApplications | kClockSyncBoost))
    checks.warn(
        "clocks",
        text + ", held by " +
            getClockEventNames(events & (kClockApplications | kClockSyncBoost)),
        "`nvidia-smi -rgc` and `-rac` undo it, if it was not meant");
  else
    checks.ok("clocks", text);
}

static void checkPower(Checks &checks, const DeviceState &state,
                       const DeviceLimits &limits) {
  if (!limits.powerLimit)
    return;
  std::string text = formatv("limit {0:f0} W", *limits.powerLimit);
  if (state.power)
    text = formatv("{0:f0} W, ", *state.power).str() + text;
  if (limits.defaultPowerLimit &&
      *limits.powerLimit < *limits.defaultPowerLimit)
    checks.warn(
        "power",
        text + formatv(" (usually {0:f0} W)", *limits.defaultPowerLimit).str(),
        "large problems will be slower than they could: `nvidia-smi "
        "-pl` sets the limit");
  else
    checks.ok("power", text);
}

static void checkProcesses(Checks &checks, const DeviceMonitor &monitor) {
  std::optional<std::vector<GPUProcess>> processes = monitor.getProcesses();
  if (!processes) {
    checks.ok("processes", "not known: NVML does not tell");
    return;
  }
  SmallVector<std::string> others;
  for (const GPUProcess &process : *processes)
    if (process.id != ::getpid())
      others.push_back(
          process.bytes
              ? formatv("{0} ({1} MiB)", process.id, *process.bytes >> 20).str()
              : std::to_string(process.id));
  if (others.empty())
    checks.ok("processes", "no other computes on the GPU");
  else
    checks.warn("processes",
                "others compute on the GPU: process " + join(others, ", "),
                "times are of no use while they do");
}

void checkMonitor(Checks &checks, const DeviceProperties &properties) {
  Expected<std::unique_ptr<DeviceMonitor>> opened =
      DeviceMonitor::open(properties.pciBusId);
  if (!opened) {
    checks.warn("nvml", toString(opened.takeError()),
                "records will have no clocks and no power; libnvidia-ml.so.1 "
                "is part of the driver");
    return;
  }
  const DeviceMonitor &monitor = **opened;
  DeviceLimits limits = monitor.getLimits();
  DeviceState state = monitor.sample();
  checks.ok("nvml", limits.driverVersion.empty()
                        ? "found"
                        : "driver " + limits.driverVersion);
  checkClocks(checks, state, limits);
  checkPower(checks, state, limits);
  if (limits.isPersistent.value_or(true))
    checks.ok("persistence", limits.isPersistent ? "on" : "not known");
  else
    checks.warn("persistence", "off: the driver unloads when nobody uses it",
                "`nvidia-smi -pm 1`, or nvidia-persistenced, saves seconds at "
                "each start");
  checkProcesses(checks, monitor);
}

void checkCounters(Checks &checks, StringRef parameters) {
  auto buffer = MemoryBuffer::getFileAsStream(parameters);
  if (!buffer) {
    checks.ok("counters", "not known: there is no '" + parameters + "'");
    return;
  }
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  bool isRestricted = any_of(lines, [](StringRef line) {
    auto [name, value] = line.split(':');
    return name.trim() == "RmProfilingAdminOnly" && value.trim() != "0";
  });
  if (!isRestricted || ::geteuid() == 0)
    checks.ok("counters",
              isRestricted ? "for root, who asks" : "profilers may read them");
  else
    checks.warn("counters", "only root may read the GPU's counters",
                "tuning needs none; for ncu, load the driver's module with "
                "NVreg_RestrictProfilingToAdminUsers=0");
}

} // namespace tcgemm
