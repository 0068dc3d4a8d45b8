//===- ValidationRunner.cpp - Cases on a device ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate/LaunchChain.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Tuner/Validation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>

using namespace llvm;

namespace tcgemm {
namespace {

/// The launches of a chain, as in the paper; and chains of a case, of which the
/// median counts.
constexpr size_t kLaunches = 100, kChains = 5;
/// Cases that are compiled together. The device waits meanwhile.
constexpr size_t kBatch = 64;
/// The load after that, because clocks rise under load.
constexpr double kWarmUpMilliseconds = 50;

/// A case with its code.
struct CompiledCase {
  CompiledCase() = default;
  CompiledCase(CompiledCase &&) = default;
  /// A case after one that ended the run was not looked at.
  ~CompiledCase() {
    if (pack && !*pack)
      consumeError(pack->takeError());
  }

  const ValidationCase *each = nullptr;
  std::optional<Expected<KernelPack>> pack;
};

class ValidationRunner {
public:
  ValidationRunner(CalibrationDevice &opened, const Machine &machine,
                   const ValidationOptions &options,
                   const CalibrationProgress &progress)
      : device(*opened.device), chip(cantFail(lookupChip(opened.chip))),
        machine(machine), options(options), progress(progress),
        isEmulated(device.getProperties().isEmulated) {}

  Expected<size_t> run(ArrayRef<ValidationCase> cases,
                       function_ref<Error(const ValidationResult &)> keep);

private:
  Expected<KernelPack> compile(const ValidationCase &each) const;
  std::vector<CompiledCase> compile(ArrayRef<ValidationCase> cases) const;
  Error prepareOperands(const KernelPack &largest);
  Expected<double> measure(const ValidationCase &each, const KernelPack &pack);
  Expected<double> time(LaunchChain &chain);

  Device &device;
  const ChipInfo &chip;
  const Machine &machine;
  const ValidationOptions &options;
  const CalibrationProgress &progress;
  const bool isEmulated;
  /// The operands of the largest case, which serve all others.
  std::vector<Buffer> memory;
  std::vector<uint64_t> addresses;
  bool isWarm = false;
};

} // namespace

Expected<KernelPack>
ValidationRunner::compile(const ValidationCase &each) const {
  Expected<KernelConfig> config = each.getConfig(chip);
  if (!config)
    return config.takeError();
  CompileOptions compile = options.engine.compile;
  compile.chip = chip.name.str();
  compile.format = isEmulated ? OutputFormat::PTX : OutputFormat::Cubin;
  compile.configText = config->str();
  compile.records = "none";
  compile.remarks = false;
  compile.ptxasThreads = 1;
  return compileToPack(each.getProblem().getSource(), compile);
}

std::vector<CompiledCase>
ValidationRunner::compile(ArrayRef<ValidationCase> cases) const {
  std::vector<CompiledCase> batch(cases.size());
  DefaultThreadPool pool(hardware_concurrency(options.engine.compilers));
  for (auto [each, result] : zip_equal(cases, batch)) {
    result.each = &each;
    pool.async([&each = each, &result = result, this] {
      result.pack.emplace(compile(each));
    });
  }
  pool.wait();
  return batch;
}

/// Fills operands of the largest size once.
Error ValidationRunner::prepareOperands(const KernelPack &largest) {
  Expected<Problem> problem = Problem::create(largest, ProblemOptions());
  if (!problem)
    return problem.takeError();
  Expected<std::vector<uint64_t>> copied =
      copyOperands(device, *problem, memory);
  if (!copied)
    return copied.takeError();
  addresses = std::move(*copied);
  return Error::success();
}

Expected<double> ValidationRunner::time(LaunchChain &chain) {
  if (Error error = chain.capture(kLaunches))
    return std::move(error);
  constexpr double nanosecondsInMillisecond = 1e6;
  double spent = 0;
  // The first chain uploads the graph.
  do {
    Expected<double> warmUp = chain.time();
    if (!warmUp)
      return warmUp.takeError();
    spent += *warmUp / nanosecondsInMillisecond + 0.01;
  } while (!isWarm && spent < kWarmUpMilliseconds);
  isWarm = true;
  std::vector<double> times;
  for (size_t i = 0; i != kChains; ++i) {
    Expected<double> measured = chain.time();
    if (!measured)
      return measured.takeError();
    times.push_back(*measured);
  }
  llvm::sort(times);
  constexpr double nanosecondsInMicrosecond = 1e3;
  return times[kChains / 2] / double(kLaunches) / nanosecondsInMicrosecond;
}

Expected<double> ValidationRunner::measure(const ValidationCase &each,
                                           const KernelPack &pack) {
  Expected<Problem> problem = Problem::create(pack, ProblemOptions());
  if (!problem)
    return problem.takeError();
  Expected<LaunchChain> chain =
      LaunchChain::create(device, pack, *problem, addresses,
                          {device.getProperties().smCount, each.getCTAs()});
  if (!chain)
    return chain.takeError();
  if (Error error = chain->execute())
    return std::move(error);
  if (!isEmulated)
    return time(*chain);
  Expected<ValidationPrediction> prediction = predictCase(machine, chip, each);
  if (!prediction)
    return prediction.takeError();
  return prediction->kernel;
}

Expected<size_t>
ValidationRunner::run(ArrayRef<ValidationCase> cases,
                      function_ref<Error(const ValidationResult &)> keep) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto getSeconds = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  Expected<KernelPack> largest = compile(getValidationCases().back());
  if (!largest)
    return largest.takeError();
  if (Error error = prepareOperands(*largest))
    return std::move(error);
  size_t done = 0;
  while (done != cases.size() && getSeconds() < options.budget) {
    ArrayRef<ValidationCase> batch = cases.slice(done).take_front(kBatch);
    isWarm = false;
    for (CompiledCase &compiled : compile(batch)) {
      auto [tileM, tileN, tileK] = compiled.each->tile;
      std::string name =
          formatv("{0}, tile {1}x{2}x{3}", compiled.each->sizes.str(), tileM,
                  tileN, tileK);
      Expected<double> time = *compiled.pack
                                  ? measure(*compiled.each, **compiled.pack)
                                  : compiled.pack->takeError();
      if (!time) {
        // After an error of the device, nothing else can be measured.
        if (time.errorIsA<DeviceError>())
          return addContext(name, time.takeError());
        progress(name + " fails: " + toString(time.takeError()));
        continue;
      }
      if (Error error =
              keep({*compiled.each, device.getProperties().name, *time}))
        return std::move(error);
    }
    done += batch.size();
    progress(
        formatv("{0} of {1} cases, {2:f0} s", done, cases.size(), getSeconds())
            .str());
  }
  return done;
}

Expected<size_t>
measureCases(CalibrationDevice &device, ArrayRef<ValidationCase> cases,
             const Machine &machine, const ValidationOptions &options,
             function_ref<Error(const ValidationResult &)> keep,
             const CalibrationProgress &progress) {
  return ValidationRunner(device, machine, options, progress).run(cases, keep);
}

} // namespace tcgemm
