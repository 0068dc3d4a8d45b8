//===- DeviceRunner.cpp - Experiments on a device -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate/LaunchChain.h"
#include "Calibrate/PartKernels.h"
#include "Measure/EngineDevice.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// The launches of a chain, from the nanoseconds that it takes.
constexpr size_t kFirstChain = 16, kMaxChain = 4096;
/// The launch of a chain adds less than 0.5 % to its time, and the same part to
/// chains of the same length.
constexpr double kChainNanoseconds = 5e6;
/// The duration of the load before the clock is read under load: the first
/// time, until the power is at its limit, and later.
constexpr double kFirstLoadSeconds = 1, kLoadSeconds = 0.2;
/// The load before the first measurement, because clocks rise under load.
constexpr double kWarmUpSeconds = 0.3;
/// The time in which the clock is read. The clock does not change in it.
constexpr uint64_t kClockNanoseconds = 200'000;
constexpr uint64_t kMostSteps = 10'000'000, kMostEmulatedSteps = 100;

using Clock = std::chrono::steady_clock;

double getSeconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

/// An experiment with its operands.
struct LoadedExperiment {
  std::vector<Buffer> memory;
  std::optional<LaunchChain> chain;
};

class DeviceRunner : public ExperimentRunner {
public:
  DeviceRunner(CalibrationDevice &opened, const EngineOptions &options,
               CalibrationProgress progress)
      : device(*opened.device), options(options), progress(std::move(progress)),
        isEmulated(device.getProperties().isEmulated),
        compiled{opened.chip, options.compile.ptxasPath, isEmulated} {}

  Error prepare(ArrayRef<Experiment> prepared) override;
  Expected<double> time(size_t experiment) override;
  Expected<ClockReading> readClock(bool isLoaded) override;
  double getEventStep() const override;

private:
  Error compile(ArrayRef<Experiment> prepared);
  Error load(const Experiment &experiment, LoadedExperiment &loaded);
  Error loadClockKernel();
  Error fitChain(LaunchChain &chain);
  /// Nanoseconds of a launch, the mean of the chain.
  Expected<double> timeChain(LaunchChain &chain);
  Error keepBusy(size_t experiment, double seconds);

  Device &device;
  const EngineOptions options;
  const CalibrationProgress progress;
  const bool isEmulated;
  const PartOptions compiled;
  StringMap<std::unique_ptr<KernelPack>> packs; ///< By CalibrationKernel::str.
  ModuleImage clockImage;
  std::unique_ptr<Module> clockModule;
  Kernel *clockKernel = nullptr;
  Buffer clockResults;
  std::vector<LoadedExperiment> experiments;
  bool wasLoaded = false;
  std::vector<double> measured; ///< All times of chains, in nanoseconds.
};

} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Compiles each kernel once, several at a time.
Error DeviceRunner::compile(ArrayRef<Experiment> prepared) {
  std::vector<CalibrationKernel> kernels;
  for (const Experiment &experiment : prepared)
    if (packs.try_emplace(experiment.kernel.str()).second)
      kernels.push_back(experiment.kernel);
  progress(formatv("compiling {0} kernels", kernels.size() + 1).str());
  std::vector<std::optional<Expected<KernelPack>>> results(kernels.size());
  DefaultThreadPool pool(hardware_concurrency(options.compilers));
  for (auto [kernel, result] : zip_equal(kernels, results))
    pool.async([&kernel = kernel, &result = result, this] {
      result.emplace(compileParts(kernel, compiled));
    });
  pool.wait();
  Error failures = Error::success();
  for (auto [kernel, result] : zip_equal(kernels, results))
    if (*result)
      packs[kernel.str()] = std::make_unique<KernelPack>(std::move(**result));
    else
      failures = joinErrors(std::move(failures), result->takeError());
  if (failures)
    return failures;
  Expected<ModuleImage> image = compileClockKernel(compiled);
  if (!image)
    return image.takeError();
  clockImage = std::move(*image);
  return Error::success();
}

Error DeviceRunner::load(const Experiment &experiment,
                         LoadedExperiment &loaded) {
  const KernelPack &pack = *packs[experiment.kernel.str()];
  ProblemOptions sizes;
  sizes.sizes[unsigned(Dim::M)] = experiment.getM();
  sizes.sizes[unsigned(Dim::N)] = experiment.getN();
  sizes.sizes[unsigned(Dim::K)] = experiment.getK();
  Expected<Problem> problem = Problem::create(pack, sizes);
  if (!problem)
    return problem.takeError();
  Expected<std::vector<uint64_t>> addresses =
      copyOperands(device, *problem, loaded.memory);
  if (!addresses)
    return addresses.takeError();
  // A persistent kernel launches a CTA for each of these.
  int64_t processors = experiment.kernel.isPersistent
                           ? experiment.persistentCTAs
                           : device.getProperties().smCount;
  Expected<LaunchChain> chain = LaunchChain::create(
      device, pack, *problem, *addresses, {processors, experiment.getCTAs()});
  if (!chain)
    return chain.takeError();
  loaded.chain = std::move(*chain);
  return loaded.chain->execute();
}

Error DeviceRunner::loadClockKernel() {
  Expected<std::unique_ptr<Module>> module = device.loadModule(clockImage);
  if (!module)
    return module.takeError();
  clockModule = std::move(*module);
  Expected<Kernel *> kernel = clockModule->getKernel(kClockKernel);
  if (!kernel)
    return kernel.takeError();
  clockKernel = *kernel;
  Expected<Buffer> results =
      device.allocate(3 * sizeof(uint64_t), "the clocks' readings");
  if (!results)
    return results.takeError();
  clockResults = std::move(*results);
  return Error::success();
}

Expected<double> DeviceRunner::timeChain(LaunchChain &chain) {
  Expected<double> time = chain.time();
  if (!time)
    return time.takeError();
  measured.push_back(*time);
  return *time / double(chain.getLength());
}

Error DeviceRunner::fitChain(LaunchChain &chain) {
  if (Error error = chain.capture(kFirstChain))
    return error;
  double time = 0;
  // The first run uploads the graph.
  for (int i = 0; i != 2; ++i) {
    Expected<double> launch = timeChain(chain);
    if (!launch)
      return launch.takeError();
    time = *launch;
  }
  auto length = size_t(std::ceil(kChainNanoseconds / std::max(time, 1.0)));
  if (length > kFirstChain)
    if (Error error = chain.capture(std::min(length, kMaxChain)))
      return error;
  return timeChain(chain).takeError();
}

Error DeviceRunner::prepare(ArrayRef<Experiment> prepared) {
  if (Error error = compile(prepared))
    return error;
  progress(formatv("loading {0} experiments", prepared.size()).str());
  experiments.resize(prepared.size());
  for (auto [experiment, loaded] : zip_equal(prepared, experiments)) {
    Error error = load(experiment, loaded);
    if (!error && !isEmulated)
      error = fitChain(*loaded.chain);
    if (error)
      return addContext(experiment.name, std::move(error));
  }
  if (Error error = loadClockKernel())
    return error;
  if (!isEmulated)
    return keepBusy(size_t(ExperimentId::CopyLarge), kWarmUpSeconds);
  return readClock(/*isLoaded=*/false).takeError();
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

Expected<double> DeviceRunner::time(size_t experiment) {
  LaunchChain &chain = *experiments[experiment].chain;
  // This replaces the data that the previous experiment left in the cache.
  if (Error error = chain.enqueue())
    return std::move(error);
  return timeChain(chain);
}

/// Runs chains of an experiment for that time.
Error DeviceRunner::keepBusy(size_t experiment, double seconds) {
  Clock::time_point start = Clock::now();
  do {
    if (Expected<double> time = timeChain(*experiments[experiment].chain);
        !time)
      return time.takeError();
  } while (getSeconds(start) < seconds);
  return Error::success();
}

template <typename T> static KernelArgument toArgument(T value) {
  KernelArgument bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

Expected<ClockReading> DeviceRunner::readClock(bool isLoaded) {
  auto load = size_t(ExperimentId::Load);
  if (isLoaded) {
    if (Error error =
            keepBusy(load, wasLoaded ? kLoadSeconds : kFirstLoadSeconds))
      return std::move(error);
    wasLoaded = true;
    // The kernel that reads the clocks follows without a gap.
    if (Error error = experiments[load].chain->launch())
      return std::move(error);
  }
  KernelArgument arguments[] = {
      toArgument(clockResults.getAddress()), toArgument(kClockNanoseconds),
      toArgument(isEmulated ? kMostEmulatedSteps : kMostSteps)};
  if (Error error = device.launch(*clockKernel, LaunchConfig(), arguments))
    return std::move(error);
  std::array<uint64_t, 3> results{};
  if (Error error = device.copyFromDevice(
          results.data(), clockResults.getAddress(), sizeof(results)))
    return std::move(error);
  auto [clocks, nanoseconds, step] = results;
  // The emulator's clocks mean nothing.
  if (nanoseconds < kClockNanoseconds && !isEmulated)
    return createStringError(
        formatv("the nanosecond clock went on by {0} ns in {1} readings, but "
                "it must go on by {2} ns",
                nanoseconds, kMostSteps, kClockNanoseconds));
  return ClockReading{double(clocks) / double(nanoseconds), double(step)};
}

Expected<CalibrationDevice>
openCalibrationDevice(const EngineOptions &options) {
  Expected<std::unique_ptr<Device>> opened = [&] {
    if (options.device != "emulator")
      return openEngineDevice(options);
    EmulatorOptions emulator;
    emulator.smCount = 4;
    emulator.checks.uninitialised = false;
    return openEmulator(emulator);
  }();
  if (!opened)
    return opened.takeError();
  CalibrationDevice result;
  result.chip = getDeviceChip((*opened)->getProperties());
  result.device = std::move(*opened);
  Expected<const ChipInfo &> chip = lookupChip(result.chip);
  if (!chip)
    return chip.takeError();
  if (!chip->features.wgmma)
    return createStringError("a calibration runs kernels of wgmma, but '" +
                             result.device->getProperties().name + "' is of " +
                             result.chip + ", which has none");
  return std::move(result);
}

double DeviceRunner::getEventStep() const {
  std::vector<double> sorted = measured;
  llvm::sort(sorted);
  double least = 0;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (double step = sorted[i] - sorted[i - 1];
        step > 0 && (least == 0 || step < least))
      least = step;
  return least;
}

std::unique_ptr<ExperimentRunner>
createDeviceRunner(CalibrationDevice &device, const EngineOptions &options,
                   CalibrationProgress progress) {
  return std::make_unique<DeviceRunner>(device, options, std::move(progress));
}

} // namespace tcgemm
