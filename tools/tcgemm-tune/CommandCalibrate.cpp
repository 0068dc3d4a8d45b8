//===- CommandCalibrate.cpp - tcgemm-tune calibrate -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibrateFlags.h"
#include "MachineInputs.h"
#include "tcgemm/Target/OutputFile.h"
#include "tcgemm/Tuner/CalibrationRunner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

static Error checkOutput(llvm::StringRef path, bool mayReplace) {
  if (llvm::sys::fs::is_regular_file(path) && !mayReplace)
    return llvm::createStringError("cannot write '" + path +
                                   "': the file exists; --force replaces it");
  return checkOutputFile(path);
}

static std::string getDate() {
  std::time_t now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &fields);
  return text.data();
}

/// Prints which quantities have no measured value.
static void printFailures(const Calibration &calibration, const Machine &base) {
  for (auto [info, estimate] :
       llvm::zip_equal(getQuantityInfos(), calibration.estimates))
    if (!estimate.value)
      printMessage("warning", formatv("{0} is that of {1}: {2}", info.name,
                                      base.name, estimate.failure));
}

namespace {
/// The inputs of a calibration.
struct CalibrationInputs {
  EngineOptions engine;
  Machine base;
  double budget = 0;
};
} // namespace

static Expected<CalibrationInputs> readInputs(const CalibrateFlags &flags) {
  CalibrationInputs inputs;
  Expected<EngineOptions> engine = readEngineOptions(flags.shared);
  if (!engine)
    return engine.takeError();
  inputs.engine = std::move(*engine);
  if (Error error = refuseSimulated(inputs.engine, "calibrate"))
    return std::move(error);
  constexpr int64_t mostSeconds = 3600;
  Expected<double> budget = readSeconds("--budget", flags.budget, mostSeconds);
  if (!budget)
    return budget.takeError();
  inputs.budget = *budget;
  Expected<Machine> base = readMachine(flags.machine);
  if (!base)
    return base.takeError();
  inputs.base = std::move(*base);
  if (Error error = checkOutput(flags.output, flags.force))
    return std::move(error);
  return std::move(inputs);
}

/// Emulated kernels are executed, but the times are the model's.
static std::unique_ptr<ExperimentRunner>
createRunner(CalibrationDevice &opened, CalibrationInputs &inputs,
             const CalibrationProgress &progress) {
  auto runner = createDeviceRunner(opened, inputs.engine, progress);
  const DeviceProperties &properties = opened.device->getProperties();
  if (!properties.isEmulated)
    return runner;
  printMessage("note", "the device is emulated; the times are those of " +
                           inputs.base.name + ", not measured");
  inputs.base.values[size_t(Quantity::Processors)].value =
      double(properties.smCount);
  constexpr double noise = 0.001;
  return createModelRunner(inputs.base, noise, std::move(runner));
}

int tcgemm::runCalibrate(const CalibrateFlags &flags, llvm::StringRef command) {
  Expected<CalibrationInputs> inputs = readInputs(flags);
  if (!inputs)
    return fail(inputs.takeError(), kExitBadInput);
  Expected<CalibrationDevice> opened = openCalibrationDevice(inputs->engine);
  if (!opened)
    return fail(opened.takeError(), kExitNoDevice);
  auto progress = [](const llvm::Twine &text) { printMessage("note", text); };
  std::unique_ptr<ExperimentRunner> runner =
      createRunner(*opened, *inputs, progress);
  const DeviceProperties &properties = opened->device->getProperties();
  CalibrationOptions options;
  options.scale = CalibrationScale::of(properties);
  options.budget = inputs->budget;
  Expected<Calibration> calibration = calibrate(*runner, options, progress);
  if (!calibration)
    return fail(calibration.takeError(), kExitRunFailed);
  if (!calibration->hasRates())
    return fail(llvm::createStringError(
                    "no rate could be measured: copy_rate: " +
                    calibration->estimates[size_t(Quantity::CopyRate)].failure),
                kExitRunFailed);
  printFailures(*calibration, inputs->base);
  MachineOrigin origin{getDate(),
                       properties.isEmulated ? "emulator" : properties.driver,
                       getGeneratorVersion(),
                       command.str(),
                       calibration->rounds,
                       calibration->timerStep,
                       calibration->eventStep};
  Machine machine =
      makeMachine(*calibration, inputs->base, origin, !properties.isEmulated);
  machine.name = properties.name;
  machine.chip = opened->chip;
  return writeOutput(flags.output,
                     [&](llvm::raw_ostream &os) { writeMachine(machine, os); });
}
