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
  /// returns its result; none if it is not complete.
  using MaybeResult = Expected<std::optional<ShardResult>>;
  using Evaluate =
      function_ref<MaybeResult(const Shard &shard, const Claim &claim)>;
  Error drain(ArrayRef<Shard> shards, Evaluate evaluate);
  MaybeResult evaluateAll(const Shard &shard, const Claim &claim);
  MaybeResult evaluateFinal(const Shard &shard, const Claim &claim,
                           ArrayRef<std::string> parts);
  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }

  WorkSummary summary;

private:
  Expected<bool> take(const Shard &shard, Evaluate evaluate);
  Error findKnown(const Shard &shard, StringSet<> &known,
                  ShardResult &result) const;
  Expected<std::vector<KernelConfig>>
  chooseFinalists(ArrayRef<std::string> parts) const;
  Error measure(ArrayRef<KernelConfig> configs, const Claim &claim,
                function_ref<Error(const Record &)> visit);
  Error keepLease(const Claim &claim);
  void pause(double &seconds) const;
  /// Calls a function of the folder, and adds its time to the summary.
  template <typename Call> auto timed(Call call) {
    Clock::time_point start = Clock::now();
    auto result = call();
    std::chrono::duration<double> passed = Clock::now() - start;
    summary.folderSeconds += passed.count();
    return result;
  }

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
  Expected<Claim> claim = timed([&] { return folder.claim(shard.id); });
  if (!claim)
    return claim.takeError();
  if (claim->state != ClaimState::Mine)
    return claim->state == ClaimState::Done;
  observer.beginShard(shard, claim->number);
  renewed = Clock::now();
  isLost = false;
  MaybeResult result = evaluate(shard, *claim);
  if (!result) {
    Error error = result.takeError();
    // The lease ends anyway if the folder cannot be written.
    consumeError(folder.release(*claim));
    return std::move(error);
  }
  bool isComplete = result->has_value();
  observer.endShard(shard, isComplete);
  Error error = timed([&]() -> Error {
    if (isComplete)
      return folder.finish(*claim, **result);
    if (isLost)
      return Error::success();
    if (Error unwritten = folder.sync())
      return unwritten;
    return folder.release(*claim);
  });
  if (error)
    return std::move(error);
  summary.shards += isComplete;
  return isComplete;
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
  return timed([&]() -> Error {
    if (Error error = folder.sync())
      return error;
    Expected<bool> isOurs = folder.renew(claim);
    if (!isOurs)
      return isOurs.takeError();
    isLost |= !*isOurs;
    return Error::success();
  });
}

/// The configurations of a shard that other tasks have measured.
Error WorkRunner::findKnown(const Shard &shard, StringSet<> &known,
                            ShardResult &result) const {
  StringSet<> wanted;
  for (const KernelConfig &config : shard.configs)
    wanted.insert(config.str());
  const Platform &platform = evaluator.getPlatform();
  return forEachWorkRecord(
             options.path, &shard.problem,
             [&](Record &record) {
               std::string config = record.config.str();
               if (record.platform.chip == platform.chip &&
                   record.platform.device == platform.device &&
                   record.platform.driver == platform.driver &&
                   wanted.contains(config) && known.insert(config).second)
                 result.add(record, options.maxFinalists);
               return Error::success();
             })
      .takeError();
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
WorkRunner::MaybeResult WorkRunner::evaluateAll(const Shard &shard,
                                               const Claim &claim) {
  StringSet<> known;
  ShardResult result;
  if (claim.number > 0 && options.keepsRecords)
    if (Error error =
            timed([&] { return findKnown(shard, known, result); }))
      return std::move(error);
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
    result.add(record, options.maxFinalists);
    if (!options.keepsRecords)
      return Error::success();
    return timed([&] { return folder.append(record); });
  });
  if (failure)
    return std::move(failure);
  if (numMeasured != left.size())
    return std::nullopt;
  return std::move(result);
}

/// The fastest configurations of shards that are done.
Expected<std::vector<KernelConfig>>
WorkRunner::chooseFinalists(ArrayRef<std::string> parts) const {
  std::vector<Record> records;
  for (const std::string &id : parts) {
    Expected<ShardResult> result = folder.readResult(id);
    if (!result)
      return result.takeError();
    append_range(records, std::move(result->fastest));
  }
  llvm::sort(records, [](const Record &a, const Record &b) {
    return a.timing.median < b.timing.median;
  });
  std::vector<KernelConfig> finalists;
  for (const Record &record : records)
    if (finalists.size() < options.maxFinalists &&
        record.timing.median <=
            options.finalFactor * records.front().timing.median)
      finalists.push_back(record.config);
  return finalists;
}

/// Measures the fastest candidates of all shards again, on this device.
WorkRunner::MaybeResult
WorkRunner::evaluateFinal(const Shard &shard, const Claim &claim,
                          ArrayRef<std::string> parts) {
  Expected<std::vector<KernelConfig>> finalists =
      timed([&] { return chooseFinalists(parts); });
  if (!finalists)
    return finalists.takeError();
  if (finalists->empty()) // Times are a model's, or there are none.
    return ShardResult();
  if (Error error = evaluator.begin(shard.problem))
    return std::move(error);
  std::vector<Record> ready;
  if (Error error =
          measure(*finalists, claim, [&](const Record &record) -> Error {
            if (record.isSuccess())
              ready.push_back(record);
            return Error::success();
          }))
    return std::move(error);
  if (isInterrupted() || isLost)
    return std::nullopt;
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
          if (Error error = timed([&] { return folder.append(record); }))
            return std::move(error);
      return ShardResult();
    }
    if (Error error = keepLease(claim))
      return std::move(error);
    std::vector<int> descriptors;
    evaluator.addDescriptors(descriptors);
    waitForInput(descriptors);
  }
}

namespace {
/// One shard for the final of each problem.
struct Finals {
  std::vector<Shard> shards;
  StringMap<std::vector<std::string>> parts; ///< The problem's shards, by final.
};
} // namespace

static Finals makeFinals(ArrayRef<Shard> shards) {
  Finals finals;
  std::vector<std::vector<std::string>> parts;
  for (const Shard &shard : shards) {
    if (finals.shards.empty() ||
        finals.shards.back().problem.str() != shard.problem.str()) {
      finals.shards.push_back({"final", shard.problem, {}});
      parts.emplace_back();
    }
    Shard &last = finals.shards.back();
    last.id = getSHA256(last.id + shard.id).substr(0, 32);
    parts.back().push_back(shard.id);
  }
  for (auto [shard, ids] : zip_equal(finals.shards, parts))
    finals.parts[shard.id] = std::move(ids);
  return finals;
}

Expected<WorkSummary> runWork(WorkFolder &folder, ArrayRef<Shard> shards,
                              Evaluator &evaluator, const WorkOptions &options,
                              WorkObserver &observer) {
  Clock::time_point start = Clock::now();
  WorkRunner runner(folder, evaluator, options, observer);
  if (Error error =
          runner.drain(shards, [&](const Shard &shard, const Claim &claim) {
            return runner.evaluateAll(shard, claim);
          }))
    return std::move(error);
  Finals finals;
  if (options.maxFinalists > 0 && options.keepsRecords)
    finals = makeFinals(shards);
  if (Error error = runner.drain(
          finals.shards, [&](const Shard &shard, const Claim &claim) {
            return runner.evaluateFinal(shard, claim, finals.parts[shard.id]);
          }))
    return std::move(error);
  std::chrono::duration<double> passed = Clock::now() - start;
  runner.summary.seconds = passed.count();
  runner.summary.isComplete = !runner.isInterrupted();
  return runner.summary;
}

} // namespace tcgemm
