//===- WorkRunner.cpp - A task of a work list ---------------------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/WorkRunner.h"
#include "tcgemm/Target/KernelPack.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

using namespace llvm;

namespace tcgemm {

WorkObserver::~WorkObserver() = default;

namespace {

using Clock = std::chrono::steady_clock;

class WorkRunner {
public:
  WorkRunner(WorkFolder &folder, Evaluator &evaluator,
             const WorkOptions &options, WorkObserver &observer)
      : folder(folder), evaluator(evaluator), options(options),
        observer(observer) {}

  /// Works until each shard is done. `evaluate` measures a claimed shard, and
  /// returns whether it is complete.
  using Evaluate =
      function_ref<Expected<bool>(const Shard &shard, const Claim &claim)>;
  Error drain(ArrayRef<Shard> shards, Evaluate evaluate);
  Expected<bool> evaluateAll(const Shard &shard, const Claim &claim);
  Expected<bool> evaluateFinal(const Shard &shard, const Claim &claim);
  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }

  WorkSummary summary;

private:
  Expected<bool> take(const Shard &shard, Evaluate evaluate);
  Expected<std::vector<Record>> findRecords(const TuningProblem &problem) const;
  Error measure(ArrayRef<KernelConfig> configs, const Claim &claim,
                function_ref<Error(const Record &)> visit);
  Error keepLease(const Claim &claim);
  void pause(double &seconds) const;

  WorkFolder &folder;
  Evaluator &evaluator;
  const WorkOptions &options;
  WorkObserver &observer;
  Clock::time_point renewed;
  bool isLost = false; ///< Another task took the current shard.
};

} // namespace

/// Waits for other tasks, each time longer.
void WorkRunner::pause(double &seconds) const {
  seconds = std::min(2 * seconds, std::min(options.leaseSeconds / 10, 2.0));
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!isInterrupted() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Claims and evaluates a shard; true if it is done and need not be looked at
/// again.
Expected<bool> WorkRunner::take(const Shard &shard, Evaluate evaluate) {
  Expected<Claim> claim = folder.claim(shard.id);
  if (!claim)
    return claim.takeError();
  if (claim->state != ClaimState::Mine)
    return claim->state == ClaimState::Done;
  observer.beginShard(shard, claim->number);
  renewed = Clock::now();
  isLost = false;
  Expected<bool> isComplete = evaluate(shard, *claim);
  if (!isComplete) {
    Error error = isComplete.takeError();
    // The lease ends anyway if the folder cannot be written.
    consumeError(folder.release(*claim));
    return std::move(error);
  }
  observer.endShard(shard, *isComplete);
  if (*isComplete) {
    ++summary.shards;
    if (Error error = folder.finish(*claim))
      return std::move(error);
  } else if (!isLost) {
    if (Error error = folder.sync())
      return std::move(error);
    if (Error error = folder.release(*claim))
      return std::move(error);
  }
  return *isComplete;
}

Error WorkRunner::drain(ArrayRef<Shard> shards, Evaluate evaluate) {
  std::deque<const Shard *> left;
  // Tasks begin at different places, so that they seldom meet.
  size_t first = options.size > 0 ? options.rank % options.size *
                                        shards.size() / options.size
                                  : 0;
  for (size_t i = 0; i != shards.size(); ++i)
    left.push_back(&shards[(first + i) % shards.size()]);
  constexpr double shortest = 0.05;
  double seconds = shortest;
  while (!left.empty() && !isInterrupted()) {
    size_t before = left.size();
    std::deque<const Shard *> busy;
    for (const Shard *shard : left) {
      Expected<bool> isDone =
          isInterrupted() ? Expected<bool>(false) : take(*shard, evaluate);
      if (!isDone)
        return isDone.takeError();
      if (!*isDone)
        busy.push_back(shard);
    }
    left = std::move(busy);
    if (left.size() == before)
      pause(seconds);
    else
      seconds = shortest;
  }
  return Error::success();
}

/// Renews the lease from time to time, and notices that another task has taken
/// the shard.
Error WorkRunner::keepLease(const Claim &claim) {
  std::chrono::duration<double> since = Clock::now() - renewed;
  if (since.count() < options.leaseSeconds / 5)
    return Error::success();
  renewed = Clock::now();
  if (Error error = folder.sync())
    return error;
  Expected<bool> isOurs = folder.renew(claim);
  if (!isOurs)
    return isOurs.takeError();
  isLost |= !*isOurs;
  return Error::success();
}

/// The records of a problem that all tasks have written so far.
Expected<std::vector<Record>>
WorkRunner::findRecords(const TuningProblem &problem) const {
  Expected<WorkRecords> all = readWorkRecords(options.path);
  if (!all)
    return all.takeError();
  const Platform &platform = evaluator.getPlatform();
  erase_if(all->records, [&](const Record &record) {
    return record.problem.str() != problem.str() ||
           record.platform.chip != platform.chip ||
           record.platform.device != platform.device ||
           record.platform.driver != platform.driver;
  });
  return std::move(all->records);
}

/// Measures configurations of the problem that the evaluator has begun. It ends
/// early after an interrupt and if the claim is lost.
Error WorkRunner::measure(ArrayRef<KernelConfig> configs, const Claim &claim,
                          function_ref<Error(const Record &)> visit) {
  while (true) {
    while (!configs.empty() && !isInterrupted() && !isLost &&
           evaluator.getOutstanding() < evaluator.getCapacity()) {
      if (Error error = evaluator.submit(configs.front()))
        return error;
      configs = configs.drop_front();
    }
    if (Error error = keepLease(claim))
      return error;
    Expected<std::optional<Evaluation>> answer = evaluator.poll();
    if (!answer)
      return answer.takeError();
    if (*answer) {
      if (Error error = visit((*answer)->record))
        return error;
      continue;
    }
    if (evaluator.getOutstanding() == 0)
      return Error::success();
    std::vector<int> descriptors;
    evaluator.addDescriptors(descriptors);
    waitForInput(descriptors);
  }
}

/// Measures what no task has measured.
Expected<bool> WorkRunner::evaluateAll(const Shard &shard, const Claim &claim) {
  StringSet<> known;
  if (claim.number > 0) {
    Expected<std::vector<Record>> records = findRecords(shard.problem);
    if (!records)
      return records.takeError();
    for (const Record &record : *records)
      known.insert(record.config.str());
  }
  std::vector<KernelConfig> left;
  copy_if(shard.configs, std::back_inserter(left),
          [&](const auto &config) { return !known.contains(config.str()); });
  size_t numMeasured = 0;
  if (Error error = evaluator.begin(shard.problem))
    return std::move(error);
  Error failure = measure(left, claim, [&](const Record &record) -> Error {
    ++numMeasured;
    ++summary.candidates;
    observer.record(record);
    return folder.append(record);
  });
  if (failure)
    return std::move(failure);
  return numMeasured == left.size();
}

/// Measures the fastest candidates of all shards again, on this device.
Expected<bool> WorkRunner::evaluateFinal(const Shard &shard,
                                         const Claim &claim) {
  Expected<std::vector<Record>> records = findRecords(shard.problem);
  if (!records)
    return records.takeError();
  erase_if(*records, [](const Record &record) {
    return !record.isSuccess() || record.timing.stage != TimingStage::Full;
  });
  llvm::sort(*records, [](const Record &a, const Record &b) {
    return a.timing.median < b.timing.median;
  });
  std::vector<KernelConfig> finalists;
  for (const Record &record : *records)
    if (finalists.size() < options.maxFinalists &&
        record.timing.median <=
            options.finalFactor * records->front().timing.median &&
        !is_contained(finalists, record.config))
      finalists.push_back(record.config);
  if (finalists.empty()) // Times are a model's, or there are none.
    return true;
  if (Error error = evaluator.begin(shard.problem))
    return std::move(error);
  std::vector<Record> ready;
  if (Error error =
          measure(finalists, claim, [&](const Record &record) -> Error {
            if (record.isSuccess())
              ready.push_back(record);
            return Error::success();
          }))
    return std::move(error);
  if (isInterrupted() || isLost)
    return false;
  if (Error error = evaluator.startRefinement(ready))
    return std::move(error);
  while (true) {
    Expected<std::optional<std::vector<Record>>> times =
        evaluator.pollRefinement();
    if (!times)
      return times.takeError();
    if (*times) {
      for (const Record &record : **times)
        if (record.timing.stage == TimingStage::Final)
          if (Error error = folder.append(record))
            return std::move(error);
      return true;
    }
    if (Error error = keepLease(claim))
      return std::move(error);
    std::vector<int> descriptors;
    evaluator.addDescriptors(descriptors);
    waitForInput(descriptors);
  }
}

/// One shard for the final of each problem.
static std::vector<Shard> makeFinals(ArrayRef<Shard> shards) {
  std::vector<Shard> finals;
  for (const Shard &shard : shards) {
    if (finals.empty() || finals.back().problem.str() != shard.problem.str())
      finals.push_back({"final", shard.problem, {}});
    finals.back().id = getSHA256(finals.back().id + shard.id).substr(0, 32);
  }
  return finals;
}

Expected<WorkSummary> runWork(WorkFolder &folder, ArrayRef<Shard> shards,
                              Evaluator &evaluator, const WorkOptions &options,
                              WorkObserver &observer) {
  WorkRunner runner(folder, evaluator, options, observer);
  if (Error error =
          runner.drain(shards, [&](const Shard &shard, const Claim &claim) {
            return runner.evaluateAll(shard, claim);
          }))
    return std::move(error);
  std::vector<Shard> finals;
  if (options.maxFinalists > 0)
    finals = makeFinals(shards);
  if (Error error =
          runner.drain(finals, [&](const Shard &shard, const Claim &claim) {
            return runner.evaluateFinal(shard, claim);
          }))
    return std::move(error);
  runner.summary.isComplete = !runner.isInterrupted();
  return runner.summary;
}

} // namespace tcgemm
