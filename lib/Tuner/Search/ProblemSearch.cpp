//===- ProblemSearch.cpp - The search of one problem ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/ProblemSearch.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

Error ProblemSearch::addSpace(const Space &space, const ChipInfo &chip) {
  Expected<SearchSpace> bound =
      SearchSpace::create(space, chip, result.problem);
  if (!bound)
    return bound.takeError();
  Part part{*bound, nullptr, {}};
  Expected<std::unique_ptr<Strategy>> strategy =
      createStrategy(options.strategy, part.space, options.strategyOptions);
  if (!strategy)
    return strategy.takeError();
  part.strategy = std::move(*strategy);
  result.legal += part.space.getLegal().size();
  parts.push_back(std::move(part));
  return Error::success();
}

void ProblemSearch::addKnown(const ChipInfo &chip) {
  if (!options.known)
    return;
  std::optional<KernelConfig> known = options.known->lookup(
      {chip, result.problem.getInfo(), result.problem.str(), /*overrides=*/""});
  if (!known)
    return;
  first.push_back(*known);
  if (none_of(parts, [&](const Part &part) {
        return part.space.findLegal(*known).has_value();
      }))
    ++result.legal;
}

void ProblemSearch::addFirst(const ChipInfo &chip) {
  addKnown(chip);
  if (options.prune.mode == PruneMode::None)
    return;
  pruner.emplace(options.prune, chip, result.problem);
  for (const Part &part : parts)
    if (std::optional<KernelConfig> choice = pruner->chooseFirst(part.space))
      first.push_back(*choice);
}

void ProblemSearch::addCandidates(std::vector<KernelConfig> configs) {
  result.legal += configs.size();
  first = std::move(configs);
}

uint64_t ProblemSearch::getTotal() const {
  uint64_t total = result.legal;
  if (options.budget.candidates > 0)
    total = std::min(total, options.budget.candidates);
  if (options.budget.percent > 0) {
    double share =
        static_cast<double>(result.legal) * options.budget.percent / 100;
    total = std::min(total, static_cast<uint64_t>(std::ceil(share)));
  }
  return total;
}

bool ProblemSearch::isBudgetSpent() const {
  return submitted >= getTotal() ||
         (options.budget.seconds > 0 && getSeconds() >= options.budget.seconds);
}

/// Returns whether a first candidate has no result yet. Without its time,
/// nothing can be pruned.
bool ProblemSearch::isAwaitingFirst() const {
  return pruner && any_of(first, [&](const KernelConfig &config) {
           auto found = submissions.find(config.str());
           return found != submissions.end() && !found->second.isKnown;
         });
}

void ProblemSearch::noteTold(const Submission &submission) {
  double time = submission.microseconds;
  if (submission.outcome == Outcome::Success && time > 0 &&
      (bestTold == 0 || time < bestTold))
    bestTold = time;
}

/// Reports the result of a strategy's oldest proposal, if there is one.
bool ProblemSearch::tellOldest(Part &part) {
  if (part.untold.empty() || !part.untold.front().second->isKnown)
    return false;
  const auto &[point, submission] = part.untold.front();
  part.strategy->report({point, submission->outcome, submission->microseconds});
  noteTold(*submission);
  part.untold.pop_front();
  return true;
}

/// The next point of a strategy; none if it must wait. Reports are in the order
/// of its proposals. Each is delayed until as many proposals follow as the
/// evaluator can process at a time. A resumed search, which has its first
/// results at once, therefore makes the same proposals.
std::vector<SpacePoint> ProblemSearch::propose(Part &part) {
  size_t lag = evaluator.getCapacity();
  while (part.untold.size() >= lag)
    if (!tellOldest(part))
      return {};
  std::vector<SpacePoint> points = part.strategy->propose(1);
  while (points.empty() && tellOldest(part))
    points = part.strategy->propose(1);
  return points;
}

/// The record of a candidate that is not tried.
Record ProblemSearch::makePruned(const KernelConfig &config,
                                 const Pruning &pruning) const {
  Record record;
  record.problem = result.problem;
  record.config = config;
  record.platform = *platform;
  record.outcome = Outcome::Pruned;
  record.message = pruning.str();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  record.timestamp =
      std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return record;
}

/// Prunes a new candidate that is too slow. Results that exist need no
/// decision.
Expected<bool> ProblemSearch::pruneIfSlow(const KernelConfig &config) {
  if (!pruner || bestTold == 0)
    return false;
  std::optional<Pruning> pruning = pruner->check(config, bestTold);
  if (!pruning)
    return false;
  Record record = makePruned(config, *pruning);
  Expected<bool> isLeftOut = evaluator.leaveOut(record);
  if (!isLeftOut)
    return isLeftOut.takeError();
  if (!*isLeftOut)
    return false;
  Submission &submission = submissions[config.str()];
  submission.isKnown = true;
  submission.outcome = record.outcome;
  ++result.pruned[static_cast<unsigned>(pruning->reason)];
  observer.prune(record, *pruning);
  return true;
}

/// Submits a configuration unless another space has already submitted it, or it
/// is pruned.
Expected<const ProblemSearch::Submission *>
ProblemSearch::submit(const KernelConfig &config) {
  if (auto found = submissions.find(config.str()); found != submissions.end())
    return &found->second;
  Expected<bool> isPruned = pruneIfSlow(config);
  if (!isPruned)
    return isPruned.takeError();
  auto entry = submissions.try_emplace(config.str()).first;
  if (*isPruned)
    return &entry->second;
  ++submitted;
  if (Error error = evaluator.submit(config))
    return std::move(error);
  return &entry->second;
}

/// Submits candidates up to the evaluator's capacity; false if there are no
/// more now.
Expected<bool> ProblemSearch::submitSome() {
  if (isAwaitingFirst())
    return false;
  bool proposedAny = false;
  for (size_t tries = 0; tries != parts.size() && !isBudgetSpent() &&
                         evaluator.getOutstanding() < evaluator.getCapacity();
       ++tries, ++nextPart) {
    Part &part = parts[nextPart % parts.size()];
    for (const SpacePoint &point : propose(part)) {
      proposedAny = true;
      Expected<const Submission *> submission =
          submit(part.space.getConfig(point));
      if (!submission)
        return submission.takeError();
      part.untold.emplace_back(point, *submission);
    }
  }
  return proposedAny;
}

void ProblemSearch::tell(const Evaluation &evaluation) {
  const Record &record = evaluation.record;
  ++result.outcomes[static_cast<unsigned>(record.outcome)];
  ++result.tried;
  result.resumed += evaluation.isResumed;
  Submission &submission = submissions[record.config.str()];
  submission.isKnown = true;
  submission.outcome = record.outcome;
  submission.microseconds = record.timing.median;
  observer.record(record, evaluation.isResumed);
  if (is_contained(first, record.config))
    noteTold(submission);
  if (record.isSuccess() && record.timing.median > 0) {
    successes.push_back(record);
    platform = record.platform;
  }
}

/// Compares times; equal times are ordered by the configuration's text, so that
/// the order is deterministic.
static bool isFaster(const Record &a, const Record &b) {
  if (a.timing.median != b.timing.median)
    return a.timing.median < b.timing.median;
  return a.config.str() < b.config.str();
}

/// The faster records that an interrupted search of another space has left
/// without a final. Records with a final are preferred to all others, so that
/// those of this search would hide them.
Expected<std::vector<Record>> ProblemSearch::findHidden() {
  Expected<std::vector<Record>> records =
      evaluator.getWithoutFinal(options.finalists.usual);
  if (records)
    erase_if(*records, [&](const Record &record) {
      return !isFaster(record, result.finalists.front()) ||
             submissions.contains(record.config.str());
    });
  return records;
}

/// Starts to measure the finalists again, interleaved, unless all of them were
/// in a final.
Error ProblemSearch::startFinal() {
  Expected<std::vector<Record>> measured = findHidden();
  if (!measured)
    return measured.takeError();
  // The result of this search is from its own spaces.
  measured->insert(measured->begin(), result.finalists.begin(),
                   result.finalists.end());
  if (all_of(*measured, [](const Record &record) {
        return record.timing.stage == TimingStage::Final;
      }))
    return Error::success();
  observer.beginFinal(*measured);
  isInFinal = true;
  return evaluator.startRefinement(*measured);
}

void ProblemSearch::endFinal(std::vector<Record> refined) {
  isInFinal = false;
  refined.resize(result.finalists.size());
  result.finalists = std::move(refined);
}

/// Chooses the fastest candidates and starts to measure them again.
Error ProblemSearch::endSearch() {
  if (isInterrupted())
    result.end = "interrupted";
  else if (submitted + result.getNumPruned() < result.legal && isBudgetSpent())
    result.end = "budget";
  llvm::sort(successes, isFaster);
  result.finalists = chooseFinalists(successes, options.finalists);
  bool isMeasured = !result.finalists.empty() &&
                    result.finalists.front().timing.stage != TimingStage::Model;
  if (isMeasured && options.finalists.usual > 0 && !isInterrupted())
    return startFinal();
  return Error::success();
}

/// Orders the finalists and counts the ties.
void ProblemSearch::finish() {
  llvm::sort(result.finalists, isFaster);
  result.seconds = getSeconds();
  // Times of a model are not measurements, so that there are no ties.
  if (result.finalists.empty() ||
      result.finalists.front().timing.stage == TimingStage::Model)
    return;
  for (const Record &record : drop_begin(result.finalists))
    result.numTies += record.timing.low <= result.finalists.front().timing.high;
}

Error ProblemSearch::start() {
  if (Error error = evaluator.begin(result.problem))
    return error;
  result.end = "space";
  for (const KernelConfig &config : first) {
    if (isBudgetSpent())
      break;
    Expected<const Submission *> submission = submit(config);
    if (!submission)
      return submission.takeError();
  }
  return Error::success();
}

Expected<bool> ProblemSearch::advance() {
  if (isInFinal) {
    Expected<std::optional<std::vector<Record>>> times =
        evaluator.pollRefinement();
    if (!times)
      return times.takeError();
    if (!*times)
      return false;
    endFinal(std::move(**times));
    finish();
    return true;
  }
  bool proposedAny = true;
  while (proposedAny && !isInterrupted()) {
    Expected<bool> more = submitSome();
    if (!more)
      return more.takeError();
    proposedAny = *more;
  }
  Expected<std::optional<Evaluation>> answer = evaluator.poll();
  if (!answer)
    return answer.takeError();
  if (*answer) {
    tell(**answer);
    return false;
  }
  if (evaluator.getOutstanding() > 0)
    return false;
  if (Error error = endSearch())
    return std::move(error);
  if (!isInFinal)
    finish();
  return !isInFinal;
}

} // namespace tcgemm
