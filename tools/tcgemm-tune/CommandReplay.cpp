//===- CommandReplay.cpp - tcgemm-tune replay -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "PruneInputs.h"
#include "Sweeps.h"
#include "tcgemm/Tuner/ModelErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

/// The requested strategies, or all that can be replayed.
static Expected<std::vector<std::string>>
readStrategies(const Flags &flags, StrategyOptions options) {
  std::vector<std::string> names(flags.sweep.strategies.begin(),
                                 flags.sweep.strategies.end());
  if (names.empty())
    for (const StrategyInfo &info : getStrategies())
      names.push_back(info.name.str());
  for (const std::string &name : names)
    if (Error error = setStrategy(options, name))
      return std::move(error);
  return names;
}

static Expected<ReplayOptions> readReplayOptions(const Flags &flags) {
  ReplayOptions options;
  Expected<StrategyOptions> strategyOptions = readStrategyOptions(flags);
  if (!strategyOptions)
    return strategyOptions.takeError();
  options.strategyOptions = std::move(*strategyOptions);
  if (flags.sweep.seeds == 0 || flags.sweep.outstanding == 0)
    return llvm::createStringError(
        "--seeds and --outstanding must be at least 1");
  options.seeds = flags.sweep.seeds;
  options.outstanding = flags.sweep.outstanding;
  if (!flags.sweep.candidates.empty())
    options.candidates.assign(flags.sweep.candidates.begin(),
                              flags.sweep.candidates.end());
  if (llvm::is_contained(options.candidates, 0U))
    return llvm::createStringError("--candidates must be at least 1 each");
  llvm::sort(options.candidates);
  return options;
}

/// Percentage, or a dash without a success.
static std::string formatLoss(double loss) {
  return std::isinf(loss) ? "-" : formatv("{0:f1}", 100 * loss).str();
}

/// Prints the number of pruned candidates, and the cost of pruning.
static void printPruned(const ReplayResult &result) {
  double all = static_cast<double>(result.tried);
  for (uint64_t count : result.pruned)
    all += static_cast<double>(count);
  llvm::outs() << formatv("  {0,-12} {1:f1} % tried", "",
                          100 * static_cast<double>(result.tried) / all);
  for (auto [i, count] : llvm::enumerate(result.pruned))
    llvm::outs() << formatv(", {0:f1} % pruned by {1}",
                            100 * static_cast<double>(count) / all,
                            getPruneReasonName(static_cast<PruneReason>(i)));
  llvm::outs() << formatv("; best {0} % above the optimum\n",
                          formatLoss(result.loss));
}

static void printText(llvm::StringRef strategy, const ReplayResult &result,
                      const ReplayOptions &options) {
  std::string median = formatv("  {0,-12} {1,-6}", strategy, "median");
  std::string p90 = formatv("  {0,-12} {1,-6}", "", "p90");
  for (const ReplayPoint &point : result.points) {
    median += formatv(" {0,7}", formatLoss(point.median));
    p90 += formatv(" {0,7}", formatLoss(point.p90));
  }
  llvm::outs() << median << '\n' << p90 << '\n';
  if (options.prune.mode != PruneMode::None)
    printPruned(result);
}

static llvm::json::Value toJSON(double loss) {
  return std::isinf(loss) ? llvm::json::Value(nullptr) : loss;
}

static void printJSON(const Sweep &sweep, const ReplayOptions &options,
                      const ReplayResult &result) {
  llvm::json::Object common{{"problem", sweep.space.getProblem().str()},
                            {"space", sweep.space.getSpace().getName()},
                            {"configurations", sweep.space.getLegal().size()},
                            {"strategy", options.strategy},
                            {"seeds", options.seeds}};
  for (const ReplayPoint &point : result.points) {
    llvm::json::Object object = common;
    object["candidates"] = point.candidates;
    object["median"] = toJSON(point.median);
    object["p90"] = toJSON(point.p90);
    llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
  }
  if (options.prune.mode == PruneMode::None)
    return;
  llvm::json::Object object = common, pruned;
  for (auto [i, count] : llvm::enumerate(result.pruned))
    pruned[getPruneReasonName(static_cast<PruneReason>(i))] = count;
  object["tried"] = result.tried;
  object["pruned"] = std::move(pruned);
  object["loss"] = toJSON(result.loss);
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

/// Compares all stored times with their lower bounds; there are limits for
/// their chip. Fails if one lies below: then the limits are not those of the
/// device, and the bound may prune what is fastest.
static Error checkStoredTimes(const StoredSweeps &stored,
                              const PruneOptions &options) {
  const SpeedLimits &limits = options.limits.find(stored.chip->name)->second;
  BoundCheck check = checkBounds(stored.records, *stored.chip, limits);
  if (!check.nearest)
    return llvm::createStringError("there are no measured times");
  const Record &record = *check.nearest;
  std::string nearest = formatv("{0:f2} us, {1:f3} times its bound, {2}: {3}",
                                record.timing.median, check.least,
                                record.problem.str(), record.config.str());
  if (check.below > 0)
    return llvm::createStringError(
        formatv("{0} of {1} times lie below the bound that follows from the "
                "limits of {2}; the farthest: {3}",
                check.below, check.records, limits.name, nearest)
            .str());
  llvm::errs() << "tcgemm-tune: note: none of " << check.records
               << " times lies below its bound; the nearest: " << nearest
               << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The errors of the model
//===----------------------------------------------------------------------===//

namespace {
/// Compares the model's times with those of sweeps, if the user wants that.
class ModelComparison {
public:
  /// Errors: a factor below 1, no model.
  static Expected<ModelComparison> create(const Flags &flags,
                                          const CostModel &model);
  void add(const Sweep &sweep);
  /// Prints the errors of all sweeps together.
  void finish() const;

private:
  ModelComparison(CostModel model, double within, OutputStyle style)
      : model(std::move(model)), within(within), style(style) {}

  CostModel model;
  double within; ///< 0: nothing is compared.
  OutputStyle style;
  size_t sweeps = 0, configurations = 0, correlated = 0;
  double errors = 0, correlations = 0; ///< Sums.
};
} // namespace

Expected<ModelComparison> ModelComparison::create(const Flags &flags,
                                                  const CostModel &model) {
  double within = flags.sweep.errorsWithin;
  bool isGiven = flags.sweep.errorsWithin.getNumOccurrences() > 0;
  if (isGiven && !(within >= 1))
    return llvm::createStringError(
        formatv("--errors-within = {0}, but it is a factor of the optimum and "
                "must be at least 1",
                within)
            .str());
  if (isGiven && !model)
    return llvm::createStringError("--errors-within compares a model's times, "
                                   "but --model is none");
  return ModelComparison(model, within, flags.output.format);
}

static std::string formatErrors(size_t configurations, double error,
                                std::optional<double> correlation) {
  std::string text = formatv("{0} configurations, error {1:f1} %",
                             configurations, 100 * error);
  if (correlation)
    text += formatv(", rank correlation {0:f3}", *correlation);
  return text;
}

void ModelComparison::add(const Sweep &sweep) {
  if (within == 0)
    return;
  ModelErrors own = compareWithModel(sweep, model, within);
  ++sweeps;
  configurations += own.configurations;
  errors += own.error * static_cast<double>(own.configurations);
  correlated += own.correlation.has_value();
  correlations += own.correlation.value_or(0);
  if (style == OutputStyle::Text) {
    llvm::outs() << formatv(
        "  model: {0}, its times over the stored ones "
        "{1:f3}\n",
        formatErrors(own.configurations, own.error, own.correlation),
        own.factor);
    return;
  }
  llvm::json::Object object{{"problem", sweep.space.getProblem().str()},
                            {"within", within},
                            {"configurations", own.configurations},
                            {"factor", own.factor},
                            {"error", own.error}};
  if (own.correlation)
    object["correlation"] = *own.correlation;
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

void ModelComparison::finish() const {
  if (within == 0 || style != OutputStyle::Text)
    return;
  std::optional<double> correlation;
  if (correlated > 0)
    correlation = correlations / static_cast<double>(correlated);
  llvm::outs() << formatv(
      "model, {0} sweeps: {1}\n", sweeps,
      formatErrors(configurations, errors / static_cast<double>(configurations),
                   correlation));
}

static void printSweep(const Sweep &sweep, OutputStyle style) {
  if (style == OutputStyle::Text)
    llvm::outs() << formatv(
        "{0}, {1}: {2} configurations, {3} failed, optimum {4:f2} us\n",
        sweep.space.getProblem().str(), sweep.space.getSpace().getName(),
        sweep.space.getLegal().size(), sweep.failures, sweep.optimum);
}

static Error replayProblem(const Sweep &sweep, ReplayEvaluator &evaluator,
                           llvm::ArrayRef<std::string> strategies,
                           ReplayOptions &options, OutputStyle style) {
  if (Error error = evaluator.begin(sweep.space.getProblem()))
    return error;
  if (style == OutputStyle::Text) {
    std::string head = formatv("  {0,-19}", "% above the optimum");
    for (uint64_t count : options.candidates)
      head += formatv(" {0,7}", count);
    llvm::outs() << head << '\n';
  }
  for (const std::string &strategy : strategies) {
    options.strategy = strategy;
    if (Error error = setStrategy(options.strategyOptions, strategy))
      return error;
    Expected<ReplayResult> result = replayStrategy(sweep, evaluator, options);
    if (!result)
      return result.takeError();
    if (style == OutputStyle::Text)
      printText(strategy, *result, options);
    else
      printJSON(sweep, options, *result);
    llvm::outs().flush();
  }
  return Error::success();
}

int tcgemm::runReplay(const Flags &flags) {
  Expected<ReplayOptions> options = readReplayOptions(flags);
  if (!options)
    return fail(options.takeError(), kExitBadInput);
  Expected<std::vector<std::string>> strategies =
      readStrategies(flags, options->strategyOptions);
  if (!strategies)
    return fail(strategies.takeError(), kExitBadInput);
  Expected<ModelComparison> comparison =
      ModelComparison::create(flags, options->strategyOptions.model);
  if (!comparison)
    return fail(comparison.takeError(), kExitBadInput);
  Expected<StoredSweeps> stored = readSweeps(flags);
  if (!stored)
    return fail(stored.takeError(), kExitBadInput);
  Expected<PruneOptions> prune = readPruneOptions(flags, stored->records);
  if (!prune)
    return fail(prune.takeError(), kExitBadInput);
  options->prune = std::move(*prune);
  if (Error error = checkLimits(options->prune, *stored->chip))
    return fail(std::move(error), kExitBadInput);
  if (options->prune.mode != PruneMode::None)
    if (Error error = checkStoredTimes(*stored, options->prune))
      return fail(std::move(error), kExitRunFailed);
  ReplayEvaluator evaluator(stored->records);
  for (const TuningProblem &problem : stored->problems) {
    Expected<Sweep> sweep = createSweep(flags, *stored, problem);
    if (!sweep)
      return fail(sweep.takeError(), kExitBadInput);
    printSweep(*sweep, flags.output.format);
    comparison->add(*sweep);
    if (Error error = replayProblem(*sweep, evaluator, *strategies, *options,
                                    flags.output.format))
      return fail(std::move(error), kExitRunFailed);
  }
  comparison->finish();
  return kExitSuccess;
}
