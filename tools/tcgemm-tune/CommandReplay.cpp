//===- CommandReplay.cpp - tcgemm-tune replay -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Sweeps.h"
#include "tcgemm/Tuner/Replay.h"
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

static void printText(llvm::StringRef strategy,
                      llvm::ArrayRef<ReplayPoint> points) {
  std::string median = formatv("  {0,-12} {1,-6}", strategy, "median");
  std::string p90 = formatv("  {0,-12} {1,-6}", "", "p90");
  for (const ReplayPoint &point : points) {
    median += formatv(" {0,7}", formatLoss(point.median));
    p90 += formatv(" {0,7}", formatLoss(point.p90));
  }
  llvm::outs() << median << '\n' << p90 << '\n';
}

static llvm::json::Value toJSON(double loss) {
  return std::isinf(loss) ? llvm::json::Value(nullptr) : loss;
}

static void printJSON(const Sweep &sweep, const ReplayOptions &options,
                      llvm::ArrayRef<ReplayPoint> points) {
  for (const ReplayPoint &point : points)
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"problem", sweep.space.getProblem().str()},
                        {"space", sweep.space.getSpace().getName()},
                        {"configurations", sweep.space.getLegal().size()},
                        {"strategy", options.strategy},
                        {"seeds", options.seeds},
                        {"candidates", point.candidates},
                        {"median", toJSON(point.median)},
                        {"p90", toJSON(point.p90)}})
                 << '\n';
}

static Error replayProblem(const Sweep &sweep, ReplayEvaluator &evaluator,
                           llvm::ArrayRef<std::string> strategies,
                           ReplayOptions &options, OutputStyle style) {
  if (Error error = evaluator.begin(sweep.space.getProblem()))
    return error;
  if (style == OutputStyle::Text) {
    llvm::outs() << formatv(
        "{0}, {1}: {2} configurations, {3} failed, optimum {4:f2} us\n",
        sweep.space.getProblem().str(), sweep.space.getSpace().getName(),
        sweep.space.getLegal().size(), sweep.failures, sweep.optimum);
    std::string head = formatv("  {0,-19}", "% above the optimum");
    for (uint64_t count : options.candidates)
      head += formatv(" {0,7}", count);
    llvm::outs() << head << '\n';
  }
  for (const std::string &strategy : strategies) {
    options.strategy = strategy;
    if (Error error = setStrategy(options.strategyOptions, strategy))
      return error;
    Expected<std::vector<ReplayPoint>> points =
        replayStrategy(sweep, evaluator, options);
    if (!points)
      return points.takeError();
    if (style == OutputStyle::Text)
      printText(strategy, *points);
    else
      printJSON(sweep, options, *points);
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
  Expected<StoredSweeps> stored = readSweeps(flags);
  if (!stored)
    return fail(stored.takeError(), kExitBadInput);
  ReplayEvaluator evaluator(stored->records);
  for (const TuningProblem &problem : stored->problems) {
    Expected<Sweep> sweep = createSweep(flags, *stored, problem);
    if (!sweep)
      return fail(sweep.takeError(), kExitBadInput);
    if (Error error = replayProblem(*sweep, evaluator, *strategies, *options,
                                    flags.output.format))
      return fail(std::move(error), kExitRunFailed);
  }
  return kExitSuccess;
}
