//===- TrendTest.cpp - Times of several versions --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Trend.h"
#include "Report/RatioInterval.h"
#include "TunerTestUtils.h"

#include <cmath>
#include <random>

using namespace tcgemm;

namespace {

TEST(RatioIntervalTest, FewSamplesHaveNoInterval) {
  // With three of each, the widest interval has a confidence of 90 %; with
  // four, of 97 %.
  EXPECT_FALSE(estimateRatio({1, 2, 3}, {4, 5, 6}, 0.95));
  EXPECT_TRUE(estimateRatio({1, 2, 3}, {4, 5, 6}, 0.90));
  EXPECT_TRUE(estimateRatio({1, 2, 3, 4}, {4, 5, 6, 7}, 0.95));
  EXPECT_FALSE(estimateRatio({1, 2, 3, 4}, {4, 5, 6, 7}, 0.98));
  EXPECT_FALSE(estimateRatio({}, {4, 5, 6, 7}, 0.5));
  EXPECT_FALSE(estimateRatio({1, 2, 3, 0}, {4, 5, 6, 7}, 0.95));
}

/// The ranks of the tables of Mann and Whitney's test: for five and five times
/// and 95 %, two of the 25 ratios are outside at each end.
TEST(RatioIntervalTest, RanksAreThoseOfTheTables) {
  std::vector<double> from, to, ratios;
  for (int i = 0; i != 5; ++i) {
    from.push_back(1 + 0.013 * i * i);
    to.push_back(1.5 + 0.029 * i);
  }
  for (double a : from)
    for (double b : to)
      ratios.push_back(b / a);
  llvm::sort(ratios);
  RatioInterval found = need(estimateRatio(from, to, 0.95));
  EXPECT_NEAR(found.ratio, ratios[12], 1e-12);
  EXPECT_NEAR(found.low, ratios[2], 1e-12);
  EXPECT_NEAR(found.high, ratios[22], 1e-12);
}

TEST(RatioIntervalTest, QuantilesAreThoseOfTheNormalDistribution) {
  EXPECT_NEAR(getNormalQuantile(0.95), 1.959964, 1e-6);
  EXPECT_NEAR(getNormalQuantile(0.99), 2.575829, 1e-6);
}

/// How often the interval contains the ratio, with noise that has outliers.
TEST(RatioIntervalTest, IntervalsHaveTheirConfidence) {
  constexpr int numTrials = 2000;
  constexpr double ratio = 1.1;
  std::mt19937 random(1);
  std::exponential_distribution<double> noise(50);
  // The last one has too many pairs for the exact distribution.
  for (auto [m, n] : {std::pair(6, 5), {11, 11}, {60, 50}}) {
    int hits = 0;
    for (int trial = 0; trial != numTrials; ++trial) {
      std::vector<double> from, to;
      for (int i = 0; i != m; ++i)
        from.push_back(7 * std::exp(noise(random)));
      for (int i = 0; i != n; ++i)
        to.push_back(7 * ratio * std::exp(noise(random)));
      RatioInterval found = need(estimateRatio(from, to, 0.95));
      hits += found.low <= ratio && ratio <= found.high;
    }
    // At least 95 %, within three deviations; fewer samples have wider ones.
    EXPECT_GE(hits, numTrials * 0.935) << m << " " << n;
    EXPECT_LE(hits, numTrials * 0.985) << m << " " << n;
  }
}

TEST(RatioIntervalTest, MeansAreNarrowerThanTheirParts) {
  EXPECT_FALSE(getGeometricMean({}, 0.95));
  RatioInterval part{1.1, 1.05, 1.1 * 1.1 / 1.05};
  RatioInterval mean = need(getGeometricMean({part, part, part, part}, 0.95));
  EXPECT_NEAR(mean.ratio, 1.1, 1e-9);
  EXPECT_NEAR(std::log(mean.high / mean.ratio),
              std::log(part.high / part.ratio) / 2, 1e-9);
  mean = need(getGeometricMean({{2, 1.9, 2.1}, {0.5, 0.4, 0.6}}, 0.95));
  EXPECT_NEAR(mean.ratio, 1, 1e-9);
}

class TrendTest : public testing::Test {
protected:
  /// Adds a final of some samples that spread by 0.2 %.
  Record &add(llvm::StringRef version, int size, double microseconds,
              unsigned samples = 11) {
    Record record = makeRecord(makeProblem(size, 64, 64), "stages=4", 1);
    std::vector<double> times;
    for (unsigned i = 0; i != samples; ++i)
      times.push_back(microseconds * (1 + 0.0002 * ((i * 7) % 11 - 5.0)));
    record.timing = summarizeSamples(TimingStage::Final, times);
    record.platform.tcgemm = version.str();
    record.timestamp = 1700000000 + int64_t(records.size());
    return records.emplace_back(record);
  }
  llvm::Expected<std::vector<DeviceTrend>>
  compute(const TrendOptions &options = {}) {
    auto store = unwrap(Store::openTemporary());
    unwrap(store->merge(records));
    return computeTrend(*store, options);
  }

  std::vector<Record> records;
};

TEST_F(TrendTest, VerdictsFollowFromTheIntervals) {
  for (int size : {1, 2, 3, 4, 5, 6})
    add("0.1.0+a", size, 10);
  add("0.2.0+b", 1, 10.5);                        // Slower.
  add("0.2.0+b", 2, 9.5);                         // Faster.
  add("0.2.0+b", 3, 10.1);                        // Same.
  add("0.2.0+b", 4, 10.5, /*samples=*/1);         // Too few.
  add("0.2.0+b", 5, 10.2);                        // At the threshold.
  add("0.2.0+b", 6, 10).outcome = Outcome::Crash; // No result any more.
  auto trends = unwrap(compute());
  ASSERT_EQ(trends.size(), 1u);
  const DeviceTrend &trend = trends.front();
  ASSERT_EQ(trend.rows.size(), 6u);
  constexpr TrendVerdict verdicts[] = {
      TrendVerdict::Slower,  TrendVerdict::Faster,  TrendVerdict::Same,
      TrendVerdict::Unclear, TrendVerdict::Unclear, TrendVerdict::Failed};
  for (auto [row, verdict] : llvm::zip_equal(trend.rows, verdicts))
    EXPECT_EQ(row.verdict, verdict) << row.problem.str();
  EXPECT_NEAR(need(trend.rows[0].ratio).ratio, 1.05, 1e-3);
  EXPECT_FALSE(trend.rows[3].ratio);
  EXPECT_NEAR(need(trend.mean).ratio, std::pow(1.05 * 0.95 * 1.01 * 1.02, 0.25),
              1e-3);
  EXPECT_TRUE(trend.hasRegression());
  // A larger change than all.
  TrendOptions options;
  options.threshold = 0.1;
  EXPECT_EQ(unwrap(compute(options)).front().rows[0].verdict,
            TrendVerdict::Same);
  // With less confidence the samples are enough.
  options.threshold = 0.02;
  options.confidence = 0.8;
  EXPECT_EQ(unwrap(compute(options)).front().rows[3].verdict,
            TrendVerdict::Slower);
}

TEST_F(TrendTest, FinalsAndTheBestPlatformAreCompared) {
  add("a", 1, 10);
  add("b", 1, 10).platform.driver = "newer";
  Record &faster = add("b", 1, 5);
  faster.timing.stage = TimingStage::Screened;
  auto trends = unwrap(compute());
  ASSERT_EQ(trends.front().rows.size(), 1u);
  EXPECT_EQ(trends.front().rows[0].verdict, TrendVerdict::Same);
  EXPECT_TRUE(trends.front().rows[0].hasOtherTools());
}

TEST_F(TrendTest, VersionsAreInTheOrderOfTime) {
  add("0.1.0+ffff", 1, 10);
  add("0.1.0+aaaa", 1, 11);
  add("0.1.0+cccc", 1, 12);
  add("0.1.0+cccc", 2, 12);
  auto trends = unwrap(compute());
  ASSERT_EQ(trends.front().versions.size(), 2u);
  EXPECT_EQ(trends.front().versions[0].name, "0.1.0+aaaa");
  EXPECT_EQ(trends.front().versions[1].problems, 2u);
  EXPECT_EQ(trends.front().onlyLast, 1u);
  EXPECT_EQ(trends.front().onlyFirst, 0u);
  TrendOptions options;
  options.from = "ff";
  trends = unwrap(compute(options));
  ASSERT_EQ(trends.front().versions.size(), 3u);
  EXPECT_NEAR(need(trends.front().rows[0].ratio).ratio, 1.2, 1e-3);
  options = {};
  options.to = "aaaa";
  EXPECT_NEAR(need(unwrap(compute(options)).front().rows[0].ratio).ratio, 1.1,
              1e-3);
  // Back to an older version.
  options.from = "cccc";
  EXPECT_NEAR(need(unwrap(compute(options)).front().rows[0].ratio).ratio,
              11.0 / 12, 1e-3);
  options.to = "aaaa";
  options.from = "aa";
  EXPECT_EQ(getError(compute(options)), "both versions are '0.1.0+aaaa'");
}

TEST_F(TrendTest, DevicesAreApart) {
  for (const char *device : {"Large GPU", "Small GPU"})
    for (const char *version : {"a", "b"})
      add(version, 1, device[0] == 'L' && version[0] == 'b' ? 8 : 10)
          .platform.device = device;
  add("b", 1, 10).platform.device = "Lone GPU";
  auto trends = unwrap(compute());
  ASSERT_EQ(trends.size(), 2u);
  EXPECT_EQ(trends[0].rows[0].verdict, TrendVerdict::Faster);
  EXPECT_EQ(trends[1].rows[0].verdict, TrendVerdict::Same);
  TrendOptions options;
  options.device = "small";
  EXPECT_EQ(unwrap(compute(options)).size(), 1u);
}

TEST_F(TrendTest, TimesOfAModelAreNotCompared) {
  for (const char *version : {"a", "b"})
    add(version, 1, 10).timing.stage = TimingStage::Model;
  auto trends = unwrap(compute());
  ASSERT_EQ(trends.size(), 1u);
  EXPECT_TRUE(trends.front().rows.empty());
}

TEST_F(TrendTest, WhatIsWrongIsSaid) {
  TrendOptions options;
  EXPECT_EQ(getError(compute(options)), "there are no records");
  add("0.1.0+ab", 1, 10);
  add("0.1.0+ac", 1, 10);
  options.from = "0.1";
  EXPECT_EQ(getError(compute(options)),
            "version '0.1' is one of 0.1.0+ab, 0.1.0+ac: give more of it");
  options.from = "7";
  EXPECT_EQ(getError(compute(options)), "no record has the version '7'; the "
                                        "versions are 0.1.0+ab, 0.1.0+ac");
  options = {};
  options.device = "cpu";
  EXPECT_EQ(getError(compute(options)),
            "no device's name contains 'cpu'; the devices are Test GPU");
  options = {};
  options.threshold = -0.01;
  EXPECT_NE(getError(compute(options)).find("must be from 0 % to 100 %"),
            std::string::npos);
  options.threshold = std::nan("");
  EXPECT_NE(getError(compute(options)), "no error");
  options = {};
  options.confidence = 1;
  EXPECT_NE(getError(compute(options)).find("the confidence is 100 %"),
            std::string::npos);
}

} // namespace
