//===- DeviceRunner.cpp - Experiments on a device -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate/PartKernels.h"
#include "Measure/EngineDevice.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Runtime/Problem.h"
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
/// Of chains of the same length, what the launch of the chain itself adds is
/// the same part of each time, below 0.5 %.
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

/// An experiment with its data, and its launches as a graph.
struct LoadedExperiment {
  std::vector<Buffer> memory; ///< Of the operands, and the workspace.
  std::unique_ptr<Executor> executor;
  LaunchPlan plan;
  std::unique_ptr<Graph> chain;
  size_t length = 0;

  Error enqueue() { return executor->launch(plan, memory.back().getAddress()); }
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
  Expected<std::vector<uint64_t>> copyOperands(Problem &problem,
                                               std::vector<Buffer> &memory);
  Error load(const Experiment &experiment, LoadedExperiment &loaded);
  Error loadClockKernel();
  Error makeChain(LoadedExperiment &loaded, size_t length);
  Error fitChain(LoadedExperiment &loaded);
  /// Runs an experiment once. Findings of a device that checks are errors.
  Error execute(LoadedExperiment &loaded);
  /// Nanoseconds of a launch, the mean of the chain.
  Expected<double> timeChain(LoadedExperiment &loaded);
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

/// The contents are random, as in every other measurement.
Expected<std::vector<uint64_t>>
DeviceRunner::copyOperands(Problem &problem, std::vector<Buffer> &memory) {
  if (Error error = problem.fill())
    return std::move(error);
  std::vector<uint64_t> addresses;
  for (const ProblemBuffer &buffer : problem.buffers) {
    Expected<Buffer> allocated =
        device.allocate(size_t(buffer.getImageSize()), buffer.name);
    if (!allocated)
      return allocated.takeError();
    addresses.push_back(allocated->getAddress());
    if (Error error = device.copyToDevice(addresses.back(), buffer.image.data(),
                                          buffer.image.size()))
      return std::move(error);
    memory.push_back(std::move(*allocated));
  }
  return std::move(addresses);
}

/// Fails if the kernel does not have a CTA for each tile, or if another kernel
/// packs its operands: the differences would be those of other work.
static Error checkGrid(const LaunchPlan &plan, const Experiment &experiment) {
  for (const PlannedStep &step : plan.steps) {
    if (!step.runs)
      continue;
    auto [x, y, z] = step.config.grid;
    int64_t ctas = int64_t(x) * y * z;
    if (ctas == experiment.getCTAs())
      return Error::success();
    return createStringError(formatv(
        "the first kernel of variant {0} has {1} CTAs, but it must have {2}",
        plan.variant->name, ctas, experiment.getCTAs()));
  }
  return createStringError("the plan has no kernel");
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
      copyOperands(*problem, loaded.memory);
  if (!addresses)
    return addresses.takeError();
  Expected<LaunchPlan> plan =
      problem->plan(0, *addresses, device.getProperties().smCount);
  if (!plan)
    return plan.takeError();
  loaded.plan = std::move(*plan);
  if (Error error = checkGrid(loaded.plan, experiment))
    return error;
  // Slices that nothing was stored to are summed, too.
  size_t words = size_t(loaded.plan.workspaceBytes) / sizeof(uint32_t) + 1;
  Expected<Buffer> workspace =
      device.allocate(words * sizeof(uint32_t), "the workspace");
  if (!workspace)
    return workspace.takeError();
  if (Error error = device.fill32(workspace->getAddress(), 0, words))
    return error;
  loaded.memory.push_back(std::move(*workspace));
  loaded.executor = std::make_unique<Executor>(device, pack);
  return loaded.executor->prepare(loaded.plan);
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

/// The same data again and again: what fits into the L2 cache is there.
Error DeviceRunner::makeChain(LoadedExperiment &loaded, size_t length) {
  Expected<std::unique_ptr<Graph>> chain = device.capture([&]() -> Error {
    for (size_t i = 0; i != length; ++i)
      if (Error error = loaded.enqueue())
        return error;
    return Error::success();
  });
  if (!chain)
    return chain.takeError();
  loaded.chain = std::move(*chain);
  loaded.length = length;
  return Error::success();
}

Expected<double> DeviceRunner::timeChain(LoadedExperiment &loaded) {
  Expected<double> milliseconds =
      device.time([&] { return loaded.chain->launch(); });
  if (!milliseconds)
    return milliseconds.takeError();
  constexpr double nanoseconds = 1e6;
  measured.push_back(*milliseconds * nanoseconds);
  return measured.back() / double(loaded.length);
}

Error DeviceRunner::fitChain(LoadedExperiment &loaded) {
  if (Error error = makeChain(loaded, kFirstChain))
    return error;
  double time = 0;
  // The first run uploads the graph.
  for (int i = 0; i != 2; ++i) {
    Expected<double> launch = timeChain(loaded);
    if (!launch)
      return launch.takeError();
    time = *launch;
  }
  auto length = size_t(std::ceil(kChainNanoseconds / std::max(time, 1.0)));
  if (length > kFirstChain)
    if (Error error = makeChain(loaded, std::min(length, kMaxChain)))
      return error;
  return timeChain(loaded).takeError();
}

Error DeviceRunner::execute(LoadedExperiment &loaded) {
  if (Error error = loaded.enqueue())
    return error;
  if (Error error = device.synchronize())
    return error;
  AccessChecker *checker = device.getAccessChecker();
  if (!checker)
    return Error::success();
  Observations observed = checker->takeObservations();
  for (const emu::Finding &finding : observed.findings)
    if (!emu::isWarning(finding.kind))
      return createStringError(emu::toString(finding));
  return Error::success();
}

Error DeviceRunner::prepare(ArrayRef<Experiment> prepared) {
  if (Error error = compile(prepared))
    return error;
  progress(formatv("loading {0} experiments", prepared.size()).str());
  experiments.resize(prepared.size());
  for (auto [experiment, loaded] : zip_equal(prepared, experiments)) {
    Error error = load(experiment, loaded);
    if (!error)
      error = execute(loaded);
    if (!error && !isEmulated)
      error = fitChain(loaded);
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
  LoadedExperiment &loaded = experiments[experiment];
  // This replaces the data that the previous experiment left in the cache.
  if (Error error = loaded.enqueue())
    return std::move(error);
  return timeChain(loaded);
}

/// Runs chains of an experiment for that time.
Error DeviceRunner::keepBusy(size_t experiment, double seconds) {
  Clock::time_point start = Clock::now();
  do {
    if (Expected<double> time = timeChain(experiments[experiment]); !time)
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
