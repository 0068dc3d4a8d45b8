//===- FinalistsTest.cpp - The candidates of a final ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Finalists.h"
#include "TunerTestUtils.h"

using namespace tcgemm;

namespace {

/// Records with the given times in microseconds.
std::vector<Record> makeTimes(llvm::ArrayRef<double> times) {
  std::vector<Record> records;
  for (auto [index, time] : llvm::enumerate(times)) {
    records.push_back(makeRecord(makeProblem(1024, 1024, 1024),
                                 "stages=" + std::to_string(index + 2), time));
    records.back().timing = summarizeSamples(TimingStage::Full, {time});
  }
  return records;
}

size_t count(llvm::ArrayRef<double> times, unsigned usual = 2) {
  FinalistRules rules;
  rules.usual = usual;
  return chooseFinalists(makeTimes(times), rules).size();
}

TEST(Finalists, AreWithinAFactor) {
  EXPECT_EQ(count({}), 0u);
  EXPECT_EQ(count({10}), 1u);
  EXPECT_EQ(count({10, 10.4, 10.49}), 2u);
  EXPECT_EQ(count({10, 10.6, 10.7}), 1u);
}

TEST(Finalists, AreMoreWhereTheyAreClose) {
  EXPECT_EQ(count({10, 10.05, 10.1, 10.15, 10.19, 10.2}), 4u);
  EXPECT_EQ(count({10, 10.05, 10.1, 10.3}), 3u);
}

TEST(Finalists, AreMoreForLongKernels) {
  EXPECT_EQ(count({79, 79 * 1.1, 79 * 1.1}), 1u);
  EXPECT_EQ(count({80, 80 * 1.1, 80 * 1.11, 80 * 1.13}), 3u);
}

TEST(Finalists, WithoutAFinalAreTheFastest) {
  EXPECT_EQ(count({10, 10, 10}, 0), 1u);
}

/// Times of a final are not compared with those of a search.
TEST(Finalists, AreComparedWithTheirStage) {
  std::vector<Record> records = makeTimes({12, 10, 10.1});
  records[0].timing.stage = TimingStage::Final;
  std::vector<Record> finalists = chooseFinalists(records, {});
  ASSERT_EQ(finalists.size(), 3u);
  EXPECT_EQ(finalists[0].timing.median, 12);
  EXPECT_EQ(finalists[2].timing.median, 10.1);
}

} // namespace
