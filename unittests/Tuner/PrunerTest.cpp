//===- PrunerTest.cpp - Candidates that need no measurement ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Pruner.h"
#include "BusyEvaluator.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Tuner/Tuner.h"

#include <cmath>

using namespace tcgemm;

namespace {

const ChipInfo &getChip() { return *lookupChip("sm_90a"); }

constexpr llvm::StringRef kConfig =
    "schedule=wgmma,cta=128x128x64,warps=8x1x1,stages=4,epilogue=tma";

/// A model that takes everything for 100 us.
double estimateAll(const KernelConfig &, const ChipInfo &,
                   const ProblemInfo &) {
  return 100;
}

/// Records of `count` sizes of which the model's error is 1 %, 2 %, ...
std::vector<Record> makeSweeps(int64_t count) {
  std::vector<Record> records;
  for (int64_t i = 1; i <= count; ++i)
    records.push_back(makeRecord(makeProblem(128 * i, 128, 128), kConfig,
                                 100 / (1 + 0.01 * static_cast<double>(i))));
  return records;
}

double getMargin(llvm::ArrayRef<Record> records, const TuningProblem &problem,
                 double quantile) {
  PredictionMargins margins =
      findMargins(records, problem, getChip(), estimateAll, quantile);
  return margins.empty() ? -1 : std::exp(margins.begin()->second);
}

TEST(PredictionMargins, AreQuantilesOfOtherProblems) {
  TuningProblem problem = makeProblem(64, 64, 64);
  std::vector<Record> records = makeSweeps(20);
  EXPECT_NEAR(getMargin(records, problem, 1), 1.20, 1e-9);
  EXPECT_NEAR(getMargin(records, problem, 0.95), 1.19, 1e-9);
  EXPECT_NEAR(getMargin(records, problem, 0.5), 1.10, 1e-9);
  // A slow configuration has no winner's error.
  records.push_back(records.back());
  records.back().config = makeConfig((kConfig + ",split_k=2").str());
  records.back().timing.median = 10;
  records.push_back(records.back());
  records.back().config = makeConfig((kConfig + ",split_k=4").str());
  records.back().timing.median = 11.1;
  EXPECT_NEAR(getMargin(records, problem, 1), 10, 1e-9);
  EXPECT_NEAR(getMargin(records, problem, 0.95), 1.19, 1e-9);
}

TEST(PredictionMargins, NeedEnoughConfigurationsOfTheKind) {
  TuningProblem problem = makeProblem(64, 64, 64);
  EXPECT_EQ(getMargin(makeSweeps(19), problem, 1), -1);
  // The problem's own times do not count, nor those of other kinds and models.
  std::vector<Record> records = makeSweeps(20);
  EXPECT_EQ(getMargin(records, makeProblem(128, 128, 128), 1), -1);
  TuningProblem other = problem;
  setTypes(other, ScalarType::F16);
  EXPECT_EQ(getMargin(records, other, 1), -1);
  records[0].timing.stage = TimingStage::Model;
  EXPECT_EQ(getMargin(records, problem, 1), -1);
  records[0].timing.stage = TimingStage::Full;
  records[0].outcome = Outcome::Timeout;
  EXPECT_EQ(getMargin(records, problem, 1), -1);
}

PruneOptions makeOptions(PruneMode mode) {
  PruneOptions options;
  options.mode = mode;
  options.limits = unwrap(readShippedLimits());
  options.model = estimateAll;
  options.quantile = 1;
  options.sweeps = makeSweeps(20);
  return options;
}

TEST(ProblemPruner, ComparesBoundAndPrediction) {
  TuningProblem problem = makeProblem(4096, 4096, 4096);
  KernelConfig config = makeConfig(kConfig);
  PruneOptions sound = makeOptions(PruneMode::Sound),
               statistical = makeOptions(PruneMode::Statistical),
               none = makeOptions(PruneMode::None);
  ProblemPruner bySound(sound, getChip(), problem),
      byBoth(statistical, getChip(), problem), byNone(none, getChip(), problem);
  // No kernel takes a microsecond.
  std::optional<Pruning> pruning = byBoth.check(config, 1);
  ASSERT_TRUE(pruning);
  EXPECT_EQ(pruning->reason, PruneReason::Bound);
  EXPECT_GT(pruning->least, 100);
  EXPECT_EQ(Pruning({PruneReason::Bound, 210.316, 173.08}).str(),
            "bound: at least 210.32 us, but 173.08 us was measured");
  EXPECT_TRUE(bySound.check(config, 1));
  EXPECT_FALSE(byNone.check(config, 1));
  // Without a time nothing is pruned.
  EXPECT_FALSE(byBoth.check(config, 0));
  // The prediction less a margin of 20 %, for a small product.
  ProblemPruner bySmall(statistical, getChip(), makeProblem(64, 64, 64));
  pruning = bySmall.check(config, 83);
  ASSERT_TRUE(pruning);
  EXPECT_EQ(pruning->reason, PruneReason::Prediction);
  EXPECT_NEAR(pruning->least, 100 / 1.2, 1e-9);
  EXPECT_FALSE(bySmall.check(config, 84));
  EXPECT_FALSE(ProblemPruner(sound, getChip(), makeProblem(64, 64, 64))
                   .check(config, 83));
}

/// A chip without limits has no bounds.
TEST(ProblemPruner, NeedsTheLimitsOfTheChip) {
  PruneOptions options = makeOptions(PruneMode::Sound);
  options.limits.clear();
  EXPECT_FALSE(ProblemPruner(options, getChip(), makeProblem(4096, 4096, 4096))
                   .check(makeConfig(kConfig), 1));
}

TEST(TimeBoundRecords, AreNotBelowTheBound) {
  SpeedLimits limits = unwrap(readSpeedLimits("nvidia-h200"));
  std::vector<Record> records = unwrap(getShippedRecords());
  BoundCheck check = checkBounds(records, getChip(), limits);
  EXPECT_GT(check.records, 1000u);
  EXPECT_EQ(check.below, 0u);
  EXPECT_GT(check.least, 1);
  EXPECT_LT(check.least, 1.1);
  // The check finds what is too fast.
  Record fast = *check.nearest;
  fast.timing.median /= 1.1;
  records.push_back(fast);
  check = checkBounds(records, getChip(), limits);
  EXPECT_EQ(check.below, 1u);
  EXPECT_EQ(check.nearest->timing.median, fast.timing.median);
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// Keeps pruned candidates.
class PruningEvaluator : public BusyEvaluator {
public:
  using BusyEvaluator::BusyEvaluator;

  llvm::Expected<bool> leaveOut(const Record &record) override {
    if (record.config.str() == known)
      return false;
    kept.push_back(record);
    return true;
  }

  std::vector<Record> kept;
  std::string known; ///< The text of a configuration with a result.
};

class PruningObserver : public TuningObserver {
public:
  void prune(const Record &, const Pruning &) override { ++count; }
  unsigned count = 0;
};

class PrunedSearchTest : public testing::Test {
protected:
  PrunedSearchTest() {
    SearchSpace bound = unwrap(SearchSpace::create(space, getChip(), problem));
    for (uint64_t index : bound.getLegal()) {
      KernelConfig config = bound.getConfig(bound.getPoint(index));
      records.push_back(makeRecord(problem, config.str(), getTime(config)));
    }
    options.prune = makeOptions(PruneMode::Statistical);
    // The prediction is right but for 15 %.
    options.prune.model = [](const KernelConfig &config, const ChipInfo &,
                             const ProblemInfo &) {
      return getTime(config) * (config.stages % 2 ? 1 : 1.15);
    };
    for (Record &record : options.prune.sweeps) {
      record.config = makeConfig(records[0].config.str());
      record.timing.median =
          options.prune.model(record.config, getChip(), {}) / 1.2;
    }
  }
  static double getTime(const KernelConfig &config) {
    return 1e4 / double(config.cta[0] + config.cta[1]) +
           double(config.stages % 3);
  }
  TuningResult run(PruningEvaluator &evaluator) {
    return unwrap(tune({problem}, {space}, getChip(), evaluator, options,
                       observer))
        .front();
  }

  Space space = unwrap(readSpace("mma_sync-quick"));
  TuningProblem problem = makeProblem(512, 512, 512);
  std::vector<Record> records;
  TunerOptions options;
  PruningObserver observer;
};

TEST_F(PrunedSearchTest, TriesOnlyWhatMayWin) {
  double best = records[0].timing.median;
  for (const Record &record : records)
    best = std::min(best, record.timing.median);
  PruningEvaluator evaluator(records, /*latestFirst=*/false);
  TuningResult result = run(evaluator);
  EXPECT_EQ(result.getBest()->timing.median, best);
  EXPECT_EQ(result.end, "space");
  EXPECT_EQ(result.tried + result.getNumPruned(), records.size());
  EXPECT_GT(result.getNumPruned(), records.size() / 2);
  EXPECT_EQ(observer.count, result.getNumPruned());
  EXPECT_EQ(evaluator.kept.size(), result.getNumPruned());
  EXPECT_EQ(evaluator.submitted.size(), result.tried);
  // The first one is the model's choice.
  double least =
      options.prune.model(makeConfig(evaluator.submitted[0]), getChip(), {});
  for (const Record &record : records)
    EXPECT_GE(options.prune.model(record.config, getChip(), {}), least);
  // The reason is recorded, for the platform of the measured ones.
  for (const Record &record : evaluator.kept) {
    EXPECT_EQ(record.outcome, Outcome::Pruned);
    EXPECT_NE(record.message.find("but "), std::string::npos);
    EXPECT_TRUE(record.platform == records[0].platform);
    EXPECT_EQ(record.timing.stage, TimingStage::None);
  }
}

TEST_F(PrunedSearchTest, TheOrderOfAnswersChangesNothing) {
  for (const StrategyInfo &info : getStrategies()) {
    options.strategy = info.name.str();
    options.strategyOptions.model = createCostModel(options.prune.model);
    std::vector<std::string> orders[2];
    for (bool latestFirst : {false, true}) {
      PruningEvaluator evaluator(records, latestFirst);
      TuningResult result = run(evaluator);
      EXPECT_EQ(result.tried + result.getNumPruned(), records.size())
          << options.strategy;
      orders[latestFirst] = evaluator.submitted;
    }
    EXPECT_EQ(orders[0], orders[1]) << options.strategy;
  }
}

/// A result that exists takes no time, so that it is never left out.
TEST_F(PrunedSearchTest, WhatIsKnownIsNotPruned) {
  PruningEvaluator first(records, /*latestFirst=*/false);
  run(first);
  ASSERT_FALSE(first.kept.empty());
  PruningEvaluator evaluator(records, /*latestFirst=*/false);
  evaluator.known = first.kept.front().config.str();
  run(evaluator);
  EXPECT_TRUE(llvm::is_contained(evaluator.submitted, evaluator.known));
  EXPECT_EQ(evaluator.kept.size() + 1, first.kept.size());
}

TEST_F(PrunedSearchTest, BudgetsCountWhatIsTried) {
  options.budget.candidates = 3;
  PruningEvaluator evaluator(records, /*latestFirst=*/false);
  TuningResult result = run(evaluator);
  EXPECT_EQ(result.tried, 3u);
  EXPECT_EQ(result.end, "budget");
  // The first candidates of all spaces count, too.
  options.budget.candidates = 1;
  PruningEvaluator other(records, /*latestFirst=*/false);
  Space slow = unwrap(Space::parse("name: s\nfixed:\n"
                                   "  - {name: cta, value: 64x64x64}\n"
                                   "parameters:\n"
                                   "  - {name: stages, values: [2, 3]}\n",
                                   "s"));
  auto results = unwrap(
      tune({problem}, {space, slow}, getChip(), other, options, observer));
  EXPECT_EQ(results[0].tried, 1u);
}

} // namespace
