//===- TunerTest.cpp - The search -----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Tuner.h"
#include "BusyEvaluator.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/Shipped.h"

using namespace tcgemm;

namespace {

/// Counts events.
class CountingObserver : public TuningObserver {
public:
  void beginProblem(const TuningProblem &, uint64_t, uint64_t,
                    uint64_t count) override {
    total = count;
  }
  void skipProblem(const TuningProblem &, uint64_t index,
                   uint64_t numProblems) override {
    skipped.emplace_back(index, numProblems);
  }
  void record(const Record &, bool) override {
    ++numRecords;
    if (interruptAfter && numRecords == interruptAfter)
      *flag = true;
  }
  void endProblem(const TuningResult &) override { ++numProblems; }

  uint64_t total = 0;
  unsigned numRecords = 0, numProblems = 0, interruptAfter = 0;
  std::vector<std::pair<uint64_t, uint64_t>> skipped; ///< Index and number.
  std::atomic<bool> *flag = nullptr;
};

/// Has records of a search that was interrupted before its final. Stores what
/// is measured in a final.
class LeftEvaluator : public ReplayEvaluator {
public:
  LeftEvaluator(std::vector<Record> records, std::vector<Record> left)
      : ReplayEvaluator(std::move(records)), left(std::move(left)) {}

  llvm::Expected<std::vector<Record>> getWithoutFinal(uint64_t count) override {
    std::vector<Record> records = left;
    records.resize(std::min<size_t>(count, left.size()));
    return records;
  }
  llvm::Expected<std::vector<Record>>
  refine(llvm::ArrayRef<Record> finalists) override {
    std::vector<Record> records = finalists.vec();
    for (Record &record : records) {
      record.timing =
          summarizeSamples(TimingStage::Final, {record.timing.median * 1.02});
      measured.push_back(record.config.str());
    }
    return records;
  }

  std::vector<std::string> measured;

private:
  std::vector<Record> left;
};

class TunerTest : public testing::Test {
protected:
  /// A sweep in which the configuration of point i has the time 100 + i.
  std::vector<Record> makeSweep(const TuningProblem &problem) {
    SearchSpace bound =
        unwrap(SearchSpace::create(spaces.front(), chip, problem));
    std::vector<Record> records;
    for (uint64_t index : bound.getLegal())
      records.push_back(makeRecord(problem,
                                   bound.getConfig(bound.getPoint(index)).str(),
                                   100 + static_cast<double>(index)));
    return records;
  }
  TuningResult run(const TunerOptions &options) {
    ReplayEvaluator evaluator(makeSweep(problem));
    auto results =
        unwrap(tune({problem}, spaces, chip, evaluator, options, observer));
    EXPECT_EQ(results.size(), 1u);
    return results.front();
  }

  const ChipInfo &chip = *lookupChip("sm_90a");
  TuningProblem problem = makeProblem(512, 512, 512);
  std::vector<Space> spaces = {unwrap(readSpace("mma_sync-quick"))};
  CountingObserver observer;
};

TEST_F(TunerTest, FindsTheFastest) {
  TuningResult result = run({});
  ASSERT_TRUE(result.getBest());
  SearchSpace bound =
      unwrap(SearchSpace::create(spaces.front(), chip, problem));
  EXPECT_EQ(result.getBest()->config.str(),
            bound.getConfig(bound.getPoint(bound.getLegal()[0])).str());
  EXPECT_EQ(result.tried, bound.getLegal().size());
  EXPECT_EQ(result.legal, result.tried);
  EXPECT_EQ(result.end, "space");
  EXPECT_EQ(observer.numRecords, result.tried);
  EXPECT_EQ(observer.numProblems, 1u);
}

TEST_F(TunerTest, BudgetsAreHonoured) {
  TunerOptions options;
  options.budget.candidates = 10;
  TuningResult result = run(options);
  EXPECT_EQ(result.tried, 10u);
  EXPECT_EQ(result.end, "budget");
  EXPECT_EQ(observer.total, 10u);
  options.budget = {};
  options.budget.percent = 10;
  result = run(options);
  EXPECT_EQ(result.tried, (result.legal + 9) / 10);
}

TEST_F(TunerTest, SpacesAreSearchedTogether) {
  // The same space again has no new points.
  spaces.push_back(spaces.front());
  TuningResult result = run({});
  EXPECT_EQ(result.tried, makeSweep(problem).size());
}

TEST_F(TunerTest, WhatAnotherSpaceHasDoesNotEndTheSearch) {
  // The second space contains the first one, followed by more points.
  spaces = {unwrap(Space::parse("name: a\nparameters:\n"
                                "  - {name: stages, values: [3, 4]}\n",
                                "a")),
            unwrap(Space::parse("name: b\nparameters:\n"
                                "  - {name: stages, values: [3, 4, 2, 5]}\n",
                                "b"))};
  std::swap(spaces[0], spaces[1]);
  std::vector<Record> sweep = makeSweep(problem);
  std::swap(spaces[0], spaces[1]);
  ReplayEvaluator evaluator(std::move(sweep));
  auto results = unwrap(tune({problem}, spaces, chip, evaluator, {}, observer));
  EXPECT_EQ(results[0].tried, 4u);
}

TEST_F(TunerTest, WhatIsKnownIsTriedFirst) {
  // One that no space has, then one that the space has too.
  std::vector<Record> sweep = makeSweep(problem);
  Record outside = sweep.back();
  ASSERT_EQ(getError(outside.config.apply("min_ctas=1")), "no error");
  for (bool isOutside : {true, false}) {
    const Record &known = isOutside ? outside : sweep.back();
    TunerOptions options;
    options.known =
        std::make_shared<RecordProvider>("test", std::vector<Record>{known});
    std::vector<Record> records = sweep;
    records.push_back(outside);
    BusyEvaluator evaluator(records, /*latestFirst=*/true);
    auto results =
        unwrap(tune({problem}, spaces, chip, evaluator, options, observer));
    ASSERT_FALSE(evaluator.submitted.empty());
    EXPECT_EQ(evaluator.submitted.front(), known.config.str());
    EXPECT_EQ(results[0].legal, sweep.size() + isOutside);
    EXPECT_EQ(results[0].tried, results[0].legal);
    EXPECT_EQ(observer.total, results[0].legal);
  }
}

TEST_F(TunerTest, TheOrderOfAnswersChangesNothing) {
  for (const char *strategy : {"local", "genetic", "annealing", "bandit"}) {
    TunerOptions options;
    options.strategy = strategy;
    std::vector<std::string> orders[2];
    for (bool latestFirst : {false, true}) {
      BusyEvaluator evaluator(makeSweep(problem), latestFirst);
      unwrap(tune({problem}, spaces, chip, evaluator, options, observer));
      orders[latestFirst] = evaluator.submitted;
    }
    EXPECT_EQ(orders[0].size(), makeSweep(problem).size()) << strategy;
    EXPECT_EQ(orders[0], orders[1]) << strategy;
  }
}

TEST_F(TunerTest, TiesOverlapTheBest) {
  TuningResult result = run({});
  ASSERT_GE(result.finalists.size(), 2u);
  unsigned ties = 0;
  for (size_t i = 1; i != result.finalists.size(); ++i)
    ties += result.finalists[i].timing.low <= result.finalists[0].timing.high;
  EXPECT_EQ(result.numTies, ties);
  EXPECT_GE(ties, 1u);
}

TEST_F(TunerTest, CloseCandidatesMayBeTwiceAsManyFinalists) {
  // The factors of the first seven candidates to the best, and how many of them
  // are finalists.
  struct Case {
    double second, third, others;
    size_t expected;
  };
  for (const Case &c : {Case{1.04, 1.04, 1.04, 2}, Case{1.01, 1.03, 1.04, 2},
                        Case{1.01, 1.01, 1.04, 3}, Case{1.01, 1.01, 1.015, 4},
                        Case{1.01, 1.06, 1.07, 2}, Case{1.06, 1.06, 1.07, 1}}) {
    std::vector<Record> sweep = makeSweep(problem);
    ASSERT_GE(sweep.size(), 8u);
    for (auto [i, record] : llvm::enumerate(sweep)) {
      double factor = i == 0   ? 1
                      : i == 1 ? c.second
                      : i == 2 ? c.third
                      : i < 7  ? c.others
                               : 2;
      record.timing = summarizeSamples(TimingStage::Full, {10 * factor});
    }
    ReplayEvaluator evaluator(std::move(sweep));
    TunerOptions options;
    options.finalists.usual = 2;
    auto results =
        unwrap(tune({problem}, spaces, chip, evaluator, options, observer));
    EXPECT_EQ(results[0].finalists.size(), c.expected)
        << c.second << ' ' << c.third << ' ' << c.others;
  }
}

TEST_F(TunerTest, WithoutAFinalTheFastestWins) {
  TuningResult withFinal = run({});
  TunerOptions options;
  options.finalists.usual = 0;
  TuningResult result = run(options);
  ASSERT_EQ(result.finalists.size(), 1u);
  EXPECT_EQ(result.getBest()->config.str(), withFinal.getBest()->config.str());
  EXPECT_EQ(result.numTies, 0u);
}

TEST_F(TunerTest, AnEarlierFinalIsNotComparedWithTheSearch) {
  std::vector<Record> sweep = makeSweep(problem);
  Record &earlier = sweep.back(), &loser = sweep[sweep.size() - 2];
  earlier.timing = summarizeSamples(TimingStage::Final, {500});
  loser.timing = summarizeSamples(TimingStage::Final, {600});
  std::string text = earlier.config.str(), loserText = loser.config.str();
  ReplayEvaluator evaluator(std::move(sweep));
  auto results = unwrap(tune({problem}, spaces, chip, evaluator, {}, observer));
  auto isFinalist = [&](const std::string &config) {
    return llvm::any_of(results.front().finalists, [&](const Record &record) {
      return record.config.str() == config;
    });
  };
  EXPECT_TRUE(isFinalist(text));
  EXPECT_FALSE(isFinalist(loserText));
}

TEST_F(TunerTest, AFinalMeasuresFasterRecordsWithoutOne) {
  std::vector<Record> sweep = makeSweep(problem);
  // No space has them. The sweep's fastest has 100.
  Record faster = sweep.back(), slower = faster;
  ASSERT_EQ(getError(faster.config.apply("min_ctas=1")), "no error");
  ASSERT_EQ(getError(slower.config.apply("min_ctas=2")), "no error");
  faster.timing = summarizeSamples(TimingStage::Full, {99});
  slower.timing = summarizeSamples(TimingStage::Full, {101});
  LeftEvaluator evaluator(sweep, {faster, slower});
  auto results = unwrap(tune({problem}, spaces, chip, evaluator, {}, observer));
  EXPECT_TRUE(llvm::is_contained(evaluator.measured, faster.config.str()));
  EXPECT_FALSE(llvm::is_contained(evaluator.measured, slower.config.str()));
  // The result of the search is from its space.
  EXPECT_EQ(evaluator.measured.size(), results[0].finalists.size() + 1);
  EXPECT_EQ(results[0].getBest()->config.str(), sweep[0].config.str());
  EXPECT_EQ(results[0].getBest()->timing.stage, TimingStage::Final);
}

TEST_F(TunerTest, AFinalIsRepeatedForFasterRecordsWithoutOne) {
  std::vector<Record> sweep = makeSweep(problem);
  Record faster = sweep.back();
  ASSERT_EQ(getError(faster.config.apply("min_ctas=1")), "no error");
  faster.timing = summarizeSamples(TimingStage::Full, {99});
  for (Record &record : sweep)
    record.timing.stage = TimingStage::Final;
  LeftEvaluator withoutLeft(sweep, {});
  unwrap(tune({problem}, spaces, chip, withoutLeft, {}, observer));
  EXPECT_TRUE(withoutLeft.measured.empty());
  LeftEvaluator evaluator(sweep, {faster});
  unwrap(tune({problem}, spaces, chip, evaluator, {}, observer));
  EXPECT_TRUE(llvm::is_contained(evaluator.measured, faster.config.str()));
}

TEST_F(TunerTest, AnInterruptEndsTheRun) {
  std::atomic<bool> flag{false};
  observer.flag = &flag;
  observer.interruptAfter = 5;
  TunerOptions options;
  options.interrupted = &flag;
  TuningResult result = run(options);
  EXPECT_EQ(result.end, "interrupted");
  EXPECT_LE(result.tried, 6u);
}

TEST_F(TunerTest, FailuresAreCounted) {
  std::vector<Record> sweep = makeSweep(problem);
  sweep[0].outcome = sweep[1].outcome = Outcome::Timeout;
  sweep[2].outcome = Outcome::Correctness;
  std::string fourth = sweep[3].config.str();
  ReplayEvaluator evaluator(std::move(sweep));
  auto results = unwrap(tune({problem}, spaces, chip, evaluator, {}, observer));
  EXPECT_EQ(results[0].outcomes[unsigned(Outcome::Timeout)], 2u);
  EXPECT_EQ(results[0].outcomes[unsigned(Outcome::Correctness)], 1u);
  EXPECT_EQ(results[0].getBest()->config.str(), fourth);
}

TEST_F(TunerTest, EmptySpacesAreErrors) {
  Space empty = unwrap(Space::parse(
      "name: e\nparameters:\n  - {name: stages, values: [50]}\n", "f"));
  ReplayEvaluator evaluator({});
  EXPECT_EQ(getError(tune({problem}, {empty}, chip, evaluator, {}, observer)),
            "no configuration of the space is legal for bf16 tn bf16 none "
            "512x512x512 on sm_90a: --count shows what excludes them");
}

TEST_F(TunerTest, ProblemsWithoutLegalConfigurationsAreSkipped) {
  TuningProblem none = makeProblem(512, 512, 256);
  none.kernel.typeA = none.kernel.typeB = ScalarType::F32;
  ReplayEvaluator evaluator(makeSweep(problem));
  auto results =
      unwrap(tune({none, problem}, spaces, chip, evaluator, {}, observer));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].problem.str(), problem.str());
  using Skipped = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(observer.skipped, (Skipped{{0, 2}}));
  EXPECT_EQ(observer.numProblems, 1u);
  // Behind one that has some, too.
  results =
      unwrap(tune({problem, none}, spaces, chip, evaluator, {}, observer));
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(observer.skipped, (Skipped{{0, 2}, {1, 2}}));
  // But not if none has any.
  EXPECT_NE(getError(tune({none, none}, spaces, chip, evaluator, {}, observer))
                .find("no configuration of the space is legal for f32"),
            std::string::npos);
}

TEST_F(TunerTest, ReplayNeedsTheRecord) {
  std::vector<Record> sweep = makeSweep(problem);
  sweep.resize(1);
  ReplayEvaluator evaluator(std::move(sweep));
  EXPECT_NE(getError(tune({problem}, spaces, chip, evaluator, {}, observer))
                .find("has no record of"),
            std::string::npos);
}

} // namespace
