//===- Tuner.cpp - The searches of a run ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Tuner.h"
#include "Search/ProblemSearch.h"
#include "tcgemm/Runtime/Device.h"
#include "llvm/ADT/STLExtras.h"

#include <poll.h>

using namespace llvm;

namespace tcgemm {

TuningObserver::~TuningObserver() = default;
Evaluator::~Evaluator() = default;

Expected<std::vector<Record>> Evaluator::getWithoutFinal(uint64_t) {
  return std::vector<Record>();
}

Error Evaluator::startRefinement(ArrayRef<Record> finalists) {
  Expected<std::vector<Record>> records = refine(finalists);
  if (!records)
    return records.takeError();
  refined = std::move(*records);
  return Error::success();
}

Expected<std::optional<std::vector<Record>>> Evaluator::pollRefinement() {
  return std::exchange(refined, std::nullopt);
}

void waitForInput(ArrayRef<int> descriptors) {
  std::vector<pollfd> polled;
  for (int descriptor : descriptors)
    polled.push_back({descriptor, POLLIN, 0});
  if (!polled.empty())
    ::poll(polled.data(), polled.size(), 100);
}

namespace {

/// The problems that the devices of one model have to tune.
struct ProblemQueue {
  std::deque<size_t> waiting;
  /// By the index of the problem; none: not tuned, or not legal.
  std::vector<std::optional<TuningResult>> results;
};

/// The problems of a run, and the searches that are active on devices.
class TuningRun {
public:
  TuningRun(ArrayRef<TuningProblem> problems, ArrayRef<TuningLane> lanes,
            const TunerOptions &options);

  Expected<std::vector<TuningResult>> run();

private:
  /// A device at work.
  struct ActiveLane {
    const TuningLane *lane = nullptr;
    ProblemQueue *queue = nullptr;
    std::unique_ptr<ProblemSearch> search; ///< None: idle.
    size_t problem = 0;                    ///< The index of the search's.
    std::string failure;                   ///< The device's failure, or empty.
  };

  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }
  Expected<bool> startNext(ActiveLane &active);
  Expected<bool> advance(ActiveLane &active);
  Error giveUp(ActiveLane &active, Error error);
  Error checkLanes() const;
  void wait() const;
  Expected<std::vector<TuningResult>> takeResults();

  ArrayRef<TuningProblem> problems;
  const TunerOptions &options;
  std::vector<std::unique_ptr<ProblemQueue>> queues;
  std::vector<ActiveLane> active;
};

} // namespace

/// Devices of one model share their problems. Their records have the same key.
TuningRun::TuningRun(ArrayRef<TuningProblem> problems,
                     ArrayRef<TuningLane> lanes, const TunerOptions &options)
    : problems(problems), options(options) {
  for (const TuningLane &lane : lanes) {
    ActiveLane &next = active.emplace_back();
    next.lane = &lane;
    for (const ActiveLane &other : active)
      if (other.queue &&
          other.lane->evaluator->getPlatform() == lane.evaluator->getPlatform())
        next.queue = other.queue;
    if (next.queue)
      continue;
    queues.push_back(std::make_unique<ProblemQueue>());
    next.queue = queues.back().get();
    next.queue->results.resize(problems.size());
    for (size_t i = 0; i != problems.size(); ++i)
      next.queue->waiting.push_back(i);
  }
}

/// Starts the search of the next problem with a legal configuration on an idle
/// device; false if there is none.
Expected<bool> TuningRun::startNext(ActiveLane &active) {
  const TuningLane &lane = *active.lane;
  std::deque<size_t> &waiting = active.queue->waiting;
  while (!waiting.empty() && !isInterrupted()) {
    active.problem = waiting.front();
    const TuningProblem &problem = problems[active.problem];
    waiting.pop_front();
    auto search = std::make_unique<ProblemSearch>(problem, *lane.evaluator,
                                                  options, *lane.observer);
    std::vector<KernelConfig> given;
    if (options.getCandidates)
      given = options.getCandidates(problem);
    if (!given.empty()) {
      search->addCandidates(std::move(given));
    } else {
      for (const Space &space : lane.getSpaces(problem))
        if (Error error = search->addSpace(space, *lane.chip))
          return std::move(error);
      search->addFirst(*lane.chip);
    }
    if (search->result.legal == 0) {
      lane.observer->skipProblem(problem, active.problem, problems.size());
      continue;
    }
    lane.observer->beginProblem(problem, active.problem, problems.size(),
                                search->getTotal());
    active.search = std::move(search);
    if (Error error = active.search->start())
      return std::move(error);
    return true;
  }
  return false;
}

/// True if there may be more progress at once.
Expected<bool> TuningRun::advance(ActiveLane &active) {
  if (!active.search)
    return startNext(active);
  size_t before = active.search->result.tried;
  Expected<bool> isDone = active.search->advance();
  if (!isDone)
    return isDone.takeError();
  if (!*isDone)
    return active.search->result.tried != before;
  active.lane->observer->endProblem(active.search->result);
  active.queue->results[active.problem] = std::move(active.search->result);
  active.search.reset();
  return true;
}

/// Ends the work of a device that failed. Its problem returns to the queue.
/// Another device finds the records in the store, and measures the finalists
/// again.
Error TuningRun::giveUp(ActiveLane &active, Error error) {
  if (!error.isA<DeviceError>())
    return error;
  active.failure = toString(std::move(error));
  if (active.search)
    active.queue->waiting.push_front(active.problem);
  active.search.reset();
  active.lane->observer->loseDevice(active.failure);
  return Error::success();
}

/// An error if there are problems, but no device that can tune them.
Error TuningRun::checkLanes() const {
  for (const std::unique_ptr<ProblemQueue> &queue : queues) {
    auto isOfQueue = [&](const ActiveLane &lane) {
      return lane.queue == queue.get();
    };
    if (queue->waiting.empty() || any_of(active, [&](const ActiveLane &lane) {
          return isOfQueue(lane) && lane.failure.empty();
        }))
      continue;
    const ActiveLane &lost = *find_if(active, isOfQueue);
    if (active.size() == 1)
      return make_error<DeviceError>(lost.failure);
    return make_error<DeviceError>(
        std::to_string(queue->waiting.size()) +
        " problems are left, but no device with the properties of '" +
        lost.lane->name + "'; its failure: " + lost.failure);
  }
  return Error::success();
}

void TuningRun::wait() const {
  std::vector<int> descriptors;
  for (const ActiveLane &lane : active)
    if (lane.search)
      lane.lane->evaluator->addDescriptors(descriptors);
  waitForInput(descriptors);
}

Expected<std::vector<TuningResult>> TuningRun::run() {
  while (true) {
    bool hasProgress = false;
    for (ActiveLane &lane : active) {
      if (!lane.failure.empty())
        continue;
      Expected<bool> progress = advance(lane);
      if (!progress) {
        if (Error error = giveUp(lane, progress.takeError()))
          return std::move(error);
        progress = true;
      }
      hasProgress |= *progress;
    }
    if (none_of(active, [](const ActiveLane &lane) { return !!lane.search; }) &&
        !hasProgress)
      break;
    if (!hasProgress)
      wait();
  }
  if (!isInterrupted())
    if (Error error = checkLanes())
      return std::move(error);
  return takeResults();
}

Expected<std::vector<TuningResult>> TuningRun::takeResults() {
  std::vector<TuningResult> results;
  for (const std::unique_ptr<ProblemQueue> &queue : queues)
    for (std::optional<TuningResult> &result : queue->results)
      if (result)
        results.push_back(std::move(*result));
  if (!results.empty() || problems.empty() || isInterrupted())
    return results;
  return createStringError("no configuration of the space is legal for " +
                           problems.back().str() + " on " +
                           active.front().lane->chip->name +
                           ": --count shows what excludes them");
}

Expected<std::vector<TuningResult>>
tuneOnDevices(ArrayRef<TuningProblem> problems, ArrayRef<TuningLane> lanes,
              const TunerOptions &options) {
  return TuningRun(problems, lanes, options).run();
}

Expected<std::vector<TuningResult>>
tune(ArrayRef<TuningProblem> problems, ArrayRef<Space> spaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer) {
  auto getSpaces = [&](const TuningProblem &) { return spaces; };
  return tune(problems, SpaceChoice(getSpaces), chip, evaluator, options,
              observer);
}

Expected<std::vector<TuningResult>>
tune(ArrayRef<TuningProblem> problems, SpaceChoice getSpaces,
     const ChipInfo &chip, Evaluator &evaluator, const TunerOptions &options,
     TuningObserver &observer) {
  TuningLane lane{"", &evaluator, &chip, getSpaces, &observer};
  return tuneOnDevices(problems, lane, options);
}

} // namespace tcgemm
