//===- Tuner.cpp - The search for the fastest configuration ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Tuner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

using namespace llvm;

namespace tcgemm {

TuningObserver::~TuningObserver() = default;
Evaluator::~Evaluator() = default;

Expected<std::vector<Record>> Evaluator::getWithoutFinal(uint64_t) {
  return std::vector<Record>();
}

namespace {

using Clock = std::chrono::steady_clock;

/// The search of one problem.
class Search {
public:
  Search(const TuningProblem &problem, Evaluator &evaluator,
         const TunerOptions &options, TuningObserver &observer)
      : evaluator(evaluator), options(options), observer(observer) {
    result.problem = problem;
  }

  Error addSpace(const Space &space, const ChipInfo &chip);
  /// Adds the answer of `options.known`; called after all spaces are added.
  void addKnown(const ChipInfo &chip);
  /// The number of candidates that the budget allows; called after all spaces
  /// are added.
  uint64_t getTotal() const;
  Error run();

  TuningResult result;

private:
  /// A submitted configuration and its result.
  struct Submission {
    bool isKnown = false;
    Outcome outcome = Outcome::Success;
    double microseconds = 0;
  };
  /// A space with its strategy, and the strategy's proposals without a report,
  /// the oldest first. Several spaces may contain the same configuration.
  struct Part {
    SearchSpace space;
    std::unique_ptr<Strategy> strategy;
    std::deque<std::pair<SpacePoint, const Submission *>> untold;
  };

  bool isInterrupted() const {
    return options.interrupted && *options.interrupted;
  }
  double getSeconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool isBudgetSpent() const;
  Expected<const Submission *> submit(const KernelConfig &config);
  static bool tellOldest(Part &part);
  std::vector<SpacePoint> propose(Part &part);
  Expected<bool> submitSome();
  void tell(const Evaluation &evaluation);
  Expected<std::vector<Record>> findHidden();
  Error runFinal();
  Error chooseBest();

  Evaluator &evaluator;
  const TunerOptions &options;
  TuningObserver &observer;
  Clock::time_point start = Clock::now();
  std::vector<Part> parts;
  std::optional<KernelConfig> known;
  StringMap<Submission> submissions; ///< By the configurations' texts.
  size_t nextPart = 0;
  uint64_t submitted = 0;
  std::vector<Record> successes;
};

} // namespace

Error Search::addSpace(const Space &space, const ChipInfo &chip) {
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

void Search::addKnown(const ChipInfo &chip) {
  if (!options.known)
    return;
  known = options.known->lookup(
      {chip, result.problem.getInfo(), result.problem.str(), /*overrides=*/""});
  if (known && none_of(parts, [&](const Part &part) {
        return part.space.findLegal(*known).has_value();
      }))
    ++result.legal;
}

uint64_t Search::getTotal() const {
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

bool Search::isBudgetSpent() const {
  return submitted >= getTotal() ||
         (options.budget.seconds > 0 && getSeconds() >= options.budget.seconds);
}

/// Reports the result of a strategy's oldest proposal, if there is one.
bool Search::tellOldest(Part &part) {
  if (part.untold.empty() || !part.untold.front().second->isKnown)
    return false;
  const auto &[point, submission] = part.untold.front();
  part.strategy->report({point, submission->outcome, submission->microseconds});
  part.untold.pop_front();
  return true;
}

/// The next point of a strategy; none if it must wait. Reports are in the order
/// of its proposals. Each is delayed until as many proposals follow as the
/// evaluator can process at a time. A resumed search, which has its first
/// results at once, therefore makes the same proposals.
std::vector<SpacePoint> Search::propose(Part &part) {
  size_t lag = evaluator.getCapacity();
  while (part.untold.size() >= lag)
    if (!tellOldest(part))
      return {};
  std::vector<SpacePoint> points = part.strategy->propose(1);
  while (points.empty() && tellOldest(part))
    points = part.strategy->propose(1);
  return points;
}

/// Submits a configuration unless another space has already submitted it.
Expected<const Search::Submission *>
Search::submit(const KernelConfig &config) {
  auto [entry, isNew] = submissions.try_emplace(config.str());
  if (!isNew)
    return &entry->second;
  ++submitted;
  if (Error error = evaluator.submit(config))
    return std::move(error);
  return &entry->second;
}

/// Submits candidates up to the evaluator's capacity; false if there are no
/// more now.
Expected<bool> Search::submitSome() {
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

void Search::tell(const Evaluation &evaluation) {
  const Record &record = evaluation.record;
  ++result.outcomes[static_cast<unsigned>(record.outcome)];
  ++result.tried;
  result.resumed += evaluation.isResumed;
  Submission &submission = submissions[record.config.str()];
  submission.isKnown = true;
  submission.outcome = record.outcome;
  submission.microseconds = record.timing.median;
  observer.record(record, evaluation.isResumed);
  if (record.isSuccess() && record.timing.median > 0)
    successes.push_back(record);
}

/// Compares times; equal times are ordered by the configuration's text, so that
/// the order is deterministic.
static bool isFaster(const Record &a, const Record &b) {
  if (a.timing.median != b.timing.median)
    return a.timing.median < b.timing.median;
  return a.config.str() < b.config.str();
}

/// Chooses the fastest of the search and of an earlier final, in the order of
/// the ratio to the best of the same stage. A final lasts longer, so that the
/// device is hotter and its times are not comparable with those of the search.
static std::vector<Record> chooseFinalists(ArrayRef<Record> successes,
                                           const TunerOptions &options) {
  bool isLong = !successes.empty() &&
                successes.front().timing.median >= options.longMicroseconds;
  double limit = isLong ? options.longFactor : options.finalFactor;
  unsigned most = std::max(1U, (isLong ? 2 : 1) * options.maxFinalists);
  double fastest[2] = {};
  std::vector<std::pair<double, const Record *>> near;
  for (const Record &record : successes) { // The fastest first.
    double time = record.timing.median;
    double &best = fastest[record.timing.stage == TimingStage::Final];
    best = best == 0 ? time : best;
    if (time <= limit * best)
      near.emplace_back(time / best, &record);
  }
  // Equal factors keep the order of the records, whose addresses ascend.
  llvm::sort(near);
  std::vector<Record> finalists;
  for (auto [factor, record] : ArrayRef(near).take_front(most))
    finalists.push_back(*record);
  return finalists;
}

/// The faster records that an interrupted search of another space has left
/// without a final. Records with a final are preferred to all others, so that
/// those of this search would hide them.
Expected<std::vector<Record>> Search::findHidden() {
  Expected<std::vector<Record>> records =
      evaluator.getWithoutFinal(options.maxFinalists);
  if (records)
    erase_if(*records, [&](const Record &record) {
      return !isFaster(record, result.finalists.front()) ||
             submissions.contains(record.config.str());
    });
  return records;
}

/// Measures the finalists again, interleaved, unless all of them were in a
/// final.
Error Search::runFinal() {
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
  Expected<std::vector<Record>> refined = evaluator.refine(*measured);
  if (!refined)
    return refined.takeError();
  refined->resize(result.finalists.size());
  result.finalists = std::move(*refined);
  return Error::success();
}

/// Chooses the fastest candidates and measures them again.
Error Search::chooseBest() {
  llvm::sort(successes, isFaster);
  result.finalists = chooseFinalists(successes, options);
  bool isMeasured = !result.finalists.empty() &&
                    result.finalists.front().timing.stage != TimingStage::Model;
  if (isMeasured && options.maxFinalists > 0 && !isInterrupted())
    if (Error error = runFinal())
      return error;
  llvm::sort(result.finalists, isFaster);
  // Times of a model are not measurements, so that there are no ties.
  if (!isMeasured)
    return Error::success();
  for (const Record &record :
       drop_begin(result.finalists, result.finalists.empty() ? 0 : 1))
    result.numTies += record.timing.low <= result.finalists.front().timing.high;
  return Error::success();
}

Error Search::run() {
  if (Error error = evaluator.begin(result.problem))
    return error;
  result.end = "space";
  if (known)
    if (Expected<const Submission *> first = submit(*known); !first)
      return first.takeError();
  while (true) {
    bool proposedAny = true;
    while (proposedAny && !isInterrupted()) {
      Expected<bool> more = submitSome();
      if (!more)
        return more.takeError();
      proposedAny = *more;
    }
    Expected<std::optional<Evaluation>> answer = evaluator.wait();
    if (!answer)
      return answer.takeError();
    std::optional<Evaluation> &evaluation = *answer;
    if (!evaluation)
      break;
    tell(*evaluation);
  }
  if (isInterrupted())
    result.end = "interrupted";
  else if (submitted < result.legal && isBudgetSpent())
    result.end = "budget";
  if (Error error = chooseBest())
    return error;
  result.seconds = getSeconds();
  return Error::success();
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
  std::vector<TuningResult> results;
  for (auto [index, problem] : enumerate(problems)) {
    if (options.interrupted && *options.interrupted)
      break;
    Search search(problem, evaluator, options, observer);
    for (const Space &space : getSpaces(problem))
      if (Error error = search.addSpace(space, chip))
        return std::move(error);
    search.addKnown(chip);
    if (search.result.legal == 0) {
      if (index + 1 == problems.size() && results.empty())
        return createStringError("no configuration of the space is legal for " +
                                 problem.str() + " on " + chip.name +
                                 ": --count shows what excludes them");
      observer.skipProblem(problem, index, problems.size());
      continue;
    }
    observer.beginProblem(problem, index, problems.size(), search.getTotal());
    if (Error error = search.run())
      return std::move(error);
    observer.endProblem(search.result);
    results.push_back(std::move(search.result));
  }
  return results;
}

} // namespace tcgemm
