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
ShardSource::~ShardSource() = default;

namespace {

using Clock = std::chrono::steady_clock;

class WorkRunner {
public:
  WorkRunner(WorkFolder &folder, ShardSource &source, Evaluator &evaluator,
             const WorkOptions &options, WorkObserver &observer)
      : folder(folder), source(source), evaluator(evaluator), options(options),
        observer(observer) {}

  /// Works until each shard of each group is done.
  Error runShards();
  /// Measures the fastest candidates of each problem again.
  Error runFinals();
  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }

  WorkSummary summary;

private:
  /// The result of a shard; none if it is not complete.
  using MaybeResult = Expected<std::optional<ShardResult>>;
  /// A shard that is not known to be done.
  struct Task {
    size_t group = 0;
    Shard shard;
    std::vector<std::string> parts; ///< Of a final: the shards of its problem.
  };

  Error drain(std::deque<Task> left);
  Expected<bool> take(const Task &task);
  MaybeResult evaluate(const Task &task, const Claim &claim);
  MaybeResult evaluateAll(const Shard &shard, const Claim &claim);
  MaybeResult evaluateFinal(const Task &task, const Claim &claim);
  Error findKnown(const Shard &shard, StringSet<> &known,
                  ShardResult &result) const;
  Expected<std::vector<KernelConfig>>
  chooseFinalists(ArrayRef<std::string> parts) const;
  Error measure(ArrayRef<KernelConfig> configs, const Claim &claim,
                function_ref<Error(const Record &)> visit);
  Error keepLease(const Claim &claim);
  Error flush();
  Error flushIfDue();
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
  ShardSource &source;
  Evaluator &evaluator;
  const WorkOptions &options;
  WorkObserver &observer;
  Clock::time_point renewed, flushed = Clock::now();
  /// Shards that are complete but not marked as done.
  std::vector<std::pair<Claim, ShardResult>> complete;
  bool isLost = false; ///< Another task took the current shard.
  std::deque<Task> finals;
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
Expected<bool> WorkRunner::take(const Task &task) {
  const Shard &shard = task.shard;
  Expected<Claim> claim = timed([&] { return folder.claim(shard.id); });
  if (!claim)
    return claim.takeError();
  if (claim->state != ClaimState::Mine)
    return claim->state == ClaimState::Done;
  observer.beginShard(shard, claim->number);
  renewed = Clock::now();
  isLost = false;
  MaybeResult result = evaluate(task, *claim);
  if (!result) {
    Error error = result.takeError();
    // The lease ends anyway if the folder cannot be written.
    consumeError(joinErrors(flush(), folder.release(*claim)));
    return std::move(error);
  }
  bool isComplete = result->has_value();
  observer.endShard(shard, isComplete);
  Error error = timed([&]() -> Error {
    if (isComplete) {
      complete.emplace_back(*claim, std::move(**result));
      return flushIfDue();
    }
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

/// Marks complete shards as done.
Error WorkRunner::flush() {
  flushed = Clock::now();
  if (complete.empty())
    return Error::success();
  Error error = folder.finish(complete);
  complete.clear();
  return error;
}

/// Waiting for the disk takes long if many tasks use it. This is therefore done
/// seldom, but often enough for the leases of the shards.
Error WorkRunner::flushIfDue() {
  constexpr double longest = 10;
  std::chrono::duration<double> since = Clock::now() - flushed;
  if (since.count() < std::min(longest, options.leaseSeconds / 5))
    return Error::success();
  return flush();
}

WorkRunner::MaybeResult WorkRunner::evaluate(const Task &task,
                                             const Claim &claim) {
  if (!task.parts.empty())
    return evaluateFinal(task, claim);
  if (!task.shard.configs.empty())
    return evaluateAll(task.shard, claim);
  Shard shard = task.shard;
  Expected<std::vector<KernelConfig>> configs =
      timed([&] { return source.getConfigs(task.group, shard); });
  if (!configs)
    return configs.takeError();
  shard.configs = std::move(*configs);
  return evaluateAll(shard, claim);
}

/// Works on tasks, again and again, until all are done.
Error WorkRunner::drain(std::deque<Task> left) {
  constexpr double shortest = 0.05;
  double seconds = shortest;
  while (!left.empty() && !isInterrupted()) {
    size_t before = left.size();
    std::deque<Task> busy;
    for (Task &task : left) {
      Expected<bool> isDone =
          isInterrupted() ? Expected<bool>(false) : take(task);
      if (!isDone)
        return isDone.takeError();
      if (!*isDone)
        busy.push_back(std::move(task));
    }
    left = std::move(busy);
    if (Error error = timed([&] { return flush(); }))
      return error;
    if (left.size() == before)
      pause(seconds);
    else
      seconds = shortest;
  }
  return timed([&] { return flush(); });
}

/// Tasks begin at different places, so that they seldom meet.
Error WorkRunner::runShards() {
  size_t numGroups = source.getNumGroups();
  double place = options.size > 0
                     ? static_cast<double>(options.rank % options.size) /
                           options.size * static_cast<double>(numGroups)
                     : 0;
  auto first = static_cast<size_t>(place);
  std::deque<Task> left;
  for (size_t i = 0; i != numGroups && !isInterrupted(); ++i) {
    size_t group = (first + i) % numGroups;
    Expected<std::vector<Shard>> shards =
        timed([&] { return source.getShards(group); });
    if (!shards)
      return shards.takeError();
    if (shards->empty())
      continue;
    Task final{group, {"final", shards->front().problem, {}}, {}};
    for (const Shard &shard : *shards) {
      final.shard.id = getSHA256(final.shard.id + shard.id).substr(0, 32);
      final.parts.push_back(shard.id);
    }
    finals.push_back(std::move(final));
    // Also within the first group, if there are more tasks than groups.
    double part = i == 0 ? place - static_cast<double>(first) : 0;
    std::rotate(
        shards->begin(),
        shards->begin() +
            static_cast<ptrdiff_t>(part * static_cast<double>(shards->size())),
        shards->end());
    for (Shard &shard : *shards) {
      Task task{group, std::move(shard), {}};
      Expected<bool> isDone =
          isInterrupted() ? Expected<bool>(false) : take(task);
      if (!isDone)
        return isDone.takeError();
      if (!*isDone)
        left.push_back(std::move(task));
    }
  }
  return drain(std::move(left));
}

Error WorkRunner::runFinals() {
  if (options.finalists.usual == 0 || !options.keepsRecords)
    return Error::success();
  return drain(std::move(finals));
}

/// Renews the lease from time to time, and notices that another task has taken
/// the shard.
Error WorkRunner::keepLease(const Claim &claim) {
  if (!complete.empty())
    if (Error error = timed([&] { return flushIfDue(); }))
      return error;
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
  return forEachWorkRecord(options.path, &shard.problem,
                           [&](Record &record) {
                             std::string config = record.config.str();
                             if (record.platform.chip == platform.chip &&
                                 record.platform.device == platform.device &&
                                 record.platform.driver == platform.driver &&
                                 wanted.contains(config) &&
                                 known.insert(config).second)
                               result.add(record, options.finalists.getMost());
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
    if (Error error = timed([&] { return findKnown(shard, known, result); }))
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
    result.add(record, options.finalists.getMost());
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
  for (Record &record : tcgemm::chooseFinalists(records, options.finalists))
    finalists.push_back(std::move(record.config));
  return finalists;
}

/// Measures the fastest candidates of all shards again, on this device.
WorkRunner::MaybeResult WorkRunner::evaluateFinal(const Task &task,
                                                  const Claim &claim) {
  Expected<std::vector<KernelConfig>> finalists =
      timed([&] { return chooseFinalists(task.parts); });
  if (!finalists)
    return finalists.takeError();
  if (finalists->empty()) // Times are a model's, or there are none.
    return ShardResult();
  if (Error error = evaluator.begin(task.shard.problem))
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

Expected<WorkSummary> runWork(WorkFolder &folder, ShardSource &source,
                              Evaluator &evaluator, const WorkOptions &options,
                              WorkObserver &observer) {
  Clock::time_point start = Clock::now();
  WorkRunner runner(folder, source, evaluator, options, observer);
  if (Error error = runner.runShards())
    return std::move(error);
  if (Error error = runner.runFinals())
    return std::move(error);
  std::chrono::duration<double> passed = Clock::now() - start;
  runner.summary.seconds = passed.count();
  runner.summary.isComplete = !runner.isInterrupted();
  return runner.summary;
}

namespace {
/// Shards that are known, in a group for each problem.
class KnownShards : public ShardSource {
public:
  explicit KnownShards(ArrayRef<Shard> shards) {
    for (const Shard &shard : shards) {
      if (groups.empty() ||
          groups.back().back().problem.str() != shard.problem.str())
        groups.emplace_back();
      groups.back().push_back(shard);
    }
  }
  size_t getNumGroups() const override { return groups.size(); }
  Expected<std::vector<Shard>> getShards(size_t group) override {
    return groups[group];
  }
  Expected<std::vector<KernelConfig>> getConfigs(size_t,
                                                 const Shard &shard) override {
    return shard.configs;
  }

private:
  std::vector<std::vector<Shard>> groups;
};
} // namespace

Expected<WorkSummary> runWork(WorkFolder &folder, ArrayRef<Shard> shards,
                              Evaluator &evaluator, const WorkOptions &options,
                              WorkObserver &observer) {
  KnownShards source(shards);
  return runWork(folder, source, evaluator, options, observer);
}

} // namespace tcgemm
