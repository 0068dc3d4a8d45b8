//===- CandidateRunner.cpp - One candidate on a device --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/CandidateRunner.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Runtime/AccessChecker.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <cmath>
#include <utility>

using namespace llvm;

namespace tcgemm {
namespace {

using Clock = std::chrono::steady_clock;

double getMilliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since)
      .count();
}

constexpr size_t kMaxChain = 1024;
/// Microseconds between two events around one launch, without the kernel.
constexpr double kLaunchOverhead = 8;

/// Number of runs in a chain, each on another set: enough for `milliseconds`,
/// and at least one for each set, so that no run finds its data in a cache.
size_t getChainLength(double microseconds, double milliseconds, size_t sets) {
  double needed = std::ceil(milliseconds * 1000 / std::max(microseconds, 1.0));
  return std::clamp(static_cast<size_t>(needed), sets,
                    std::max(sets, kMaxChain));
}

/// Errors of a driver that is too old for the code, or of code for another GPU.
/// They then occur for every candidate.
constexpr StringLiteral kForeignCode[] = {"CUDA_ERROR_NO_BINARY_FOR_GPU",
                                          "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                                          "CUDA_ERROR_INVALID_IMAGE"};

/// Sets the class and the text of a failure.
void setFailure(Error error, Device &device, RunOutcome &result) {
  bool isDeviceError = error.isA<DeviceError>();
  if (error.isA<MemoryError>())
    result.outcome = Outcome::Memory;
  else
    result.outcome = isDeviceError ? Outcome::Runtime : Outcome::Constraints;
  result.message = toString(std::move(error));
  if (!isDeviceError)
    return;
  result.isForeignCode = isForeignCode(result.message);
  // After a fault every call fails; after a rejected launch the device is
  // usable.
  if (Error lost = device.synchronize()) {
    result.isDeviceLost = true;
    consumeError(std::move(lost));
  }
}

/// The estimated time of a candidate on a device without a clock.
Timing getModelTiming(const KernelConfig &config, const ChipInfo &chip,
                      const TuningProblem &problem) {
  return summarizeSamples(TimingStage::Model,
                          {estimateTime(config, chip, problem.getInfo())});
}

} // namespace

bool isForeignCode(StringRef message) {
  return any_of(kForeignCode,
                [&](StringRef name) { return message.contains(name); });
}

StringRef getForeignCodeAdvice() {
  return "update the driver, or give a ptxas of a CUDA version that the driver "
         "takes (--ptxas, $TCGEMM_PTXAS)";
}

Error CandidateRunner::setProblem(const TuningProblem &problem,
                                  const KernelPack &pack) {
  if (current == problem.str())
    return Error::success();
  current.clear();
  shared.reset(); // Freed first, so that both need not fit at the same time.
  Expected<std::unique_ptr<DeviceProblem>> made =
      DeviceProblem::create(device, problem, pack, options);
  if (!made)
    return made.takeError();
  shared = std::move(*made);
  isWarm = false;
  current = problem.str();
  return Error::success();
}

/// Warms the device up, which was idle while data was generated.
Error CandidateRunner::warmUp(Graph &graph) {
  for (double spent = 0;
       !isWarm && spent < options.timing.warmUpMilliseconds;) {
    Expected<double> time = device.time([&] { return graph.launch(); });
    if (!time)
      return time.takeError();
    spent += *time + 0.01; // Ends even if a chain takes no time.
  }
  isWarm = true;
  return Error::success();
}

/// Wakes the device, which was idle while the host checked a result. Its next
/// launches are slow, so that a single launch might reject the candidate.
Error CandidateRunner::wake(LoadedCandidate &candidate) {
  Clock::time_point start = Clock::now();
  do {
    Expected<double> time = device.time([&] { return candidate.enqueue(0); });
    if (!time)
      return time.takeError();
  } while (getMilliseconds(start) < options.timing.wakeMilliseconds);
  return Error::success();
}

/// Reads the device's state repeatedly while the chain runs for that time. This
/// is not done during measurements, because reading delays the driver.
Expected<DeviceState> CandidateRunner::observe(Graph &graph,
                                               double milliseconds) {
  DeviceState state;
  if (!monitor)
    return state;
  Clock::time_point start = Clock::now();
  std::optional<int64_t> events;
  do {
    if (Error error = graph.launch())
      return std::move(error);
    state = monitor->sample();
    if (Error error = device.synchronize())
      return std::move(error);
    // Collects all reasons for reduced clocks during the time.
    if (state.clockEvents)
      events = events.value_or(0) | *state.clockEvents;
  } while (getMilliseconds(start) < milliseconds);
  state.clockEvents = events;
  return state;
}

/// Measures a candidate with a right result, until it is clearly not the best.
Error CandidateRunner::measure(LoadedCandidate &candidate, double best,
                               RunOutcome &result) {
  const TimingOptions &timing = options.timing;
  Clock::time_point start = Clock::now();
  size_t sets = shared->getNumSets();
  Expected<double> single =
      device.time([&] { return candidate.enqueue(1 % sets); });
  if (!single)
    return single.takeError();
  double microseconds = *single * 1000;
  if (best > 0 && microseconds > timing.singleCut * best + 20) {
    result.timing = summarizeSamples(TimingStage::Single, {microseconds});
    result.measureMilliseconds = getMilliseconds(start);
    return Error::success();
  }
  // A short kernel's single launch is mostly overhead of launch and events.
  size_t length =
      getChainLength(std::max(microseconds - kLaunchOverhead, microseconds / 4),
                     timing.chainMilliseconds, sets);
  Expected<std::unique_ptr<Graph>> graph = candidate.capture(length);
  if (!graph)
    return graph.takeError();
  if (Error error = warmUp(**graph))
    return error;
  std::vector<double> samples;
  TimingStage stage = TimingStage::Full;
  bool isFirst = true;
  while (samples.size() < timing.maxSamples) {
    Expected<double> time = device.time([&] { return (*graph)->launch(); });
    if (!time)
      return time.takeError();
    double sample = *time * 1000 / static_cast<double>(length);
    // The first chain uploads the graph and wakes the device, and was up to 20
    // % slower than the next. It counts only if it is slower than that.
    if (std::exchange(isFirst, false) &&
        !(best > 0 && sample > timing.firstCut * best))
      continue;
    samples.push_back(sample);
    Timing sofar = summarizeSamples(stage, samples);
    if (best > 0 && sofar.low > timing.chainCut * best) {
      stage = TimingStage::Screened;
      break;
    }
    if (samples.size() >= timing.minSamples &&
        (sofar.high - sofar.low) / 2 <= timing.relativeError * sofar.median)
      break;
  }
  result.timing = summarizeSamples(stage, std::move(samples));
  // Rejected candidates do not justify another chain.
  if (stage == TimingStage::Full) {
    Expected<DeviceState> state = observe(**graph, 0);
    if (!state)
      return state.takeError();
    result.state = *state;
  }
  result.measureMilliseconds = getMilliseconds(start);
  return Error::success();
}

/// Takes the findings of a device that checks accesses, with the class that
/// they would have on another device.
static void takeFindings(Device &device, RunOutcome &result) {
  AccessChecker *checker = device.getAccessChecker();
  if (!checker)
    return;
  Observations observed = checker->takeObservations();
  if (!observed.hasFindings())
    return;
  result.outcome = Outcome::Correctness;
  result.message = "the emulator has findings";
  auto found = llvm::find_if(observed.findings, [](const emu::Finding &each) {
    return !emu::isWarning(each.kind);
  });
  if (found == observed.findings.end())
    return;
  const emu::Finding &first = *found;
  result.message = emu::toString(first);
  if (first.kind == emu::FindingKind::OutOfBounds ||
      first.kind == emu::FindingKind::Misaligned)
    result.outcome = Outcome::Runtime;
  else if (first.kind == emu::FindingKind::Deadlock)
    result.outcome = Outcome::Timeout;
}

Error CandidateRunner::runChecked(const TuningProblem &problem,
                                  const KernelPack &pack,
                                  const KernelConfig &config, double best,
                                  RunOutcome &result) {
  if (Error error = setProblem(problem, pack))
    return error;
  Clock::time_point start = Clock::now();
  Expected<std::unique_ptr<LoadedCandidate>> candidate =
      LoadedCandidate::create(device, *shared, pack);
  if (!candidate)
    return candidate.takeError();
  const LaunchPlan &plan = (*candidate)->getPlan();
  result.variant = plan.variant->name;
  result.resources = (*candidate)->getResources();
  if (Error error = shared->poison(plan.workspaceBytes))
    return error;
  if (Error error = (*candidate)->enqueue(0))
    return error;
  if (Error error = device.synchronize())
    return error;
  takeFindings(device, result);
  if (result.outcome != Outcome::Success)
    return Error::success();
  Expected<std::string> wrong = shared->findDamage(plan.workspaceBytes);
  if (wrong && wrong->empty())
    wrong =
        shared->checkResult(plan, (*candidate)->getProblem().launches.front());
  if (!wrong)
    return wrong.takeError();
  result.verifyMilliseconds = getMilliseconds(start);
  if (!wrong->empty()) {
    result.outcome = Outcome::Correctness;
    result.message = *wrong;
    return Error::success();
  }
  if (device.getProperties().isEmulated) {
    result.timing = getModelTiming(config, chip, problem);
    return Error::success();
  }
  if (best > 0 && shared->wasCheckedOnHost())
    if (Error error = wake(**candidate))
      return error;
  return measure(**candidate, best, result);
}

RunOutcome CandidateRunner::run(const TuningProblem &problem,
                                const KernelPack &pack,
                                const KernelConfig &config, double best) {
  RunOutcome result;
  if (Error error = runChecked(problem, pack, config, best, result))
    setFailure(std::move(error), device, result);
  return result;
}

/// Measures graphs of `length` launches in rounds, and adds the microseconds of
/// one launch to the list of each graph.
static Error timeInTurns(Device &device,
                         ArrayRef<std::unique_ptr<Graph>> graphs, size_t length,
                         const TimingOptions &timing,
                         std::vector<std::vector<double>> &samples) {
  samples.resize(graphs.size());
  // Round 0 warms up. In a fixed order, each would run at a different
  // temperature.
  for (unsigned round = 0; round <= timing.finalRounds; ++round) {
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i != graphs.size(); ++i)
      order.emplace_back(mixSeed(timing.seed, uint64_t(round) * 1000 + i), i);
    llvm::sort(order);
    for (auto [key, i] : order) {
      Expected<double> time =
          device.time([&, i = i] { return graphs[i]->launch(); });
      if (!time)
        return time.takeError();
      if (round != 0)
        samples[i].push_back(*time * 1000 / static_cast<double>(length));
    }
  }
  return Error::success();
}

Expected<std::vector<FinalTiming>>
CandidateRunner::refine(const TuningProblem &problem,
                        ArrayRef<const KernelPack *> packs) {
  const TimingOptions &timing = options.timing;
  if (packs.empty())
    return std::vector<FinalTiming>();
  if (Error error = setProblem(problem, *packs.front()))
    return std::move(error);
  std::vector<std::unique_ptr<LoadedCandidate>> candidates;
  std::vector<std::unique_ptr<Graph>> graphs;
  size_t length = 0;
  for (const KernelPack *pack : packs) {
    Expected<std::unique_ptr<LoadedCandidate>> candidate =
        LoadedCandidate::create(device, *shared, *pack);
    if (!candidate)
      return candidate.takeError();
    candidates.push_back(std::move(*candidate));
  }
  // A later, larger workspace may have changed the address for earlier
  // candidates.
  for (std::unique_ptr<LoadedCandidate> &candidate : candidates)
    if (Error error = candidate->updateWorkspace())
      return std::move(error);
  for (std::unique_ptr<LoadedCandidate> &candidate : candidates) {
    if (length == 0) {
      if (Error error = candidate->enqueue(0))
        return std::move(error);
      Expected<double> once =
          device.time([&] { return candidate->enqueue(0); });
      if (!once)
        return once.takeError();
      length = getChainLength(*once * 1000, timing.finalMilliseconds,
                              shared->getNumSets());
    }
    Expected<std::unique_ptr<Graph>> graph = candidate->capture(length);
    if (!graph)
      return graph.takeError();
    graphs.push_back(std::move(*graph));
  }
  std::vector<std::vector<double>> samples;
  if (Error error = timeInTurns(device, graphs, length, timing, samples))
    return std::move(error);
  std::vector<FinalTiming> timings;
  for (auto [graph, list] : zip_equal(graphs, samples)) {
    Expected<DeviceState> state = observe(*graph, timing.powerMilliseconds);
    if (!state)
      return state.takeError();
    timings.push_back(
        {summarizeSamples(TimingStage::Final, std::move(list)), *state});
  }
  return timings;
}

} // namespace tcgemm
