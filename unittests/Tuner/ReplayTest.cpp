//===- ReplayTest.cpp - Strategies on stored sweeps -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/ModelErrors.h"

#include <cmath>

using namespace tcgemm;

namespace {

class ReplayTest : public testing::Test {
protected:
  ReplayTest() {
    // Some of the legal points: times decrease in this order, except for a
    // failure.
    std::vector<uint64_t> legal = whole.getLegal().take_front(40).vec();
    for (uint64_t index : legal)
      records.push_back(makeRecord(problem,
                                   whole.getConfig(whole.getPoint(index)).str(),
                                   200 - static_cast<double>(records.size())));
    records[0].outcome = Outcome::Timeout;
  }
  std::vector<ReplayPoint> run(const ReplayOptions &options) {
    Sweep sweep = unwrap(createSweep(space, chip, problem, records));
    ReplayEvaluator evaluator(records);
    EXPECT_EQ(getError(evaluator.begin(problem)), "no error");
    return unwrap(replayStrategy(sweep, evaluator, options)).points;
  }

  const ChipInfo &chip = *lookupChip("sm_90a");
  TuningProblem problem = makeProblem(512, 512, 512);
  Space space = unwrap(readSpace("mma_sync-quick"));
  SearchSpace whole = unwrap(SearchSpace::create(space, chip, problem));
  std::vector<Record> records;
};

/// Compares the times 200, 199, … with those that `change` makes of them.
static ModelErrors compare(const Sweep &sweep, double within,
                           llvm::function_ref<double(double)> change) {
  auto model = [&](const SearchSpace &space, const KernelConfig &config) {
    for (auto [index, time] : llvm::zip_equal(space.getLegal(), sweep.times))
      if (space.getConfig(space.getPoint(index)).str() == config.str())
        return change(time);
    return 0.0;
  };
  return compareWithModel(sweep, model, within);
}

TEST_F(ReplayTest, ErrorsOfAModel) {
  Sweep sweep = unwrap(createSweep(space, chip, problem, records));
  ASSERT_EQ(sweep.times.size(), 40u);
  EXPECT_EQ(llvm::count(sweep.times, 0.0), 1); // The failure.
  // A common factor is no error.
  ModelErrors twice = compare(sweep, 2, [](double time) { return 2 * time; });
  EXPECT_EQ(twice.configurations, 39u);
  EXPECT_NEAR(twice.factor, 2, 1e-12);
  EXPECT_NEAR(twice.error, 0, 1e-12);
  EXPECT_NEAR(*twice.correlation, 1, 1e-12);
  // The opposite order; the times are 161 to 199.
  ModelErrors inverse =
      compare(sweep, 2, [](double time) { return 40000 / time; });
  EXPECT_NEAR(*inverse.correlation, -1, 1e-12);
  EXPECT_GT(inverse.error, 0.05);
  // Those that take at most 1.01 of 161: 161 and 162.
  ModelErrors few = compare(sweep, 1.01, [](double time) { return time; });
  EXPECT_EQ(few.configurations, 2u);
  EXPECT_FALSE(few.correlation);
  EXPECT_FALSE(compare(sweep, 2, [](double) { return 5.0; }).correlation);
  // Of 161 to 164, the two in the middle are equal: ranks 0, 1.5, 1.5 and 3.
  ModelErrors ties = compare(
      sweep, 1.02, [](double time) { return time == 163 ? 162 : time; });
  EXPECT_EQ(ties.configurations, 4u);
  EXPECT_NEAR(*ties.correlation, 4.5 / std::sqrt(5 * 4.5), 1e-12);
  EXPECT_NEAR(ties.error, 0.0023, 0.0003);
}

TEST_F(ReplayTest, SweepsAreWhatRecordsHold) {
  records.push_back(
      makeRecord(makeProblem(64, 64, 64), records[1].config.str(), 1));
  // A pruned candidate has no result.
  records.push_back(records[1]);
  records.back().config = whole.getConfig(whole.getPoint(whole.getLegal()[50]));
  records.back().outcome = Outcome::Pruned;
  Sweep sweep = unwrap(createSweep(space, chip, problem, records));
  EXPECT_EQ(sweep.space.getLegal().size(), 40u);
  EXPECT_EQ(sweep.failures, 1u);
  EXPECT_EQ(sweep.optimum, 161);
  EXPECT_EQ(
      getError(createSweep(space, chip, makeProblem(8, 8, 8), records)),
      "the records of bf16 tn bf16 none 8x8x8 have no success that is a point "
      "of space 'mma_sync-quick' on sm_90a");
}

TEST_F(ReplayTest, LossesAreOfTheOptimum) {
  ReplayOptions options;
  options.strategy = "exhaustive";
  options.seeds = 2;
  options.candidates = {1, 2, 11, 40, 100};
  std::vector<ReplayPoint> points = run(options);
  ASSERT_EQ(points.size(), 5u);
  EXPECT_TRUE(std::isinf(points[0].median)); // The first failed.
  EXPECT_DOUBLE_EQ(points[1].median, 199.0 / 161 - 1);
  EXPECT_DOUBLE_EQ(points[2].p90, 190.0 / 161 - 1);
  EXPECT_EQ(points[3].median, 0);
  EXPECT_EQ(points[4].median, 0);
}

TEST_F(ReplayTest, LateAnswersAreAllowedFor) {
  for (const StrategyInfo &info : getStrategies()) {
    ReplayOptions options;
    options.strategy = info.name.str();
    options.strategyOptions.model = [](const SearchSpace &,
                                       const KernelConfig &) { return 1.0; };
    options.seeds = 3;
    options.outstanding = 7;
    options.candidates = {40};
    EXPECT_EQ(run(options)[0].p90, 0) << info.name.str();
  }
}

} // namespace
