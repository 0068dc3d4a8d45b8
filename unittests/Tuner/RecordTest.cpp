//===- RecordTest.cpp - What became of a candidate ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Record.h"
#include "TunerTestUtils.h"

using namespace tcgemm;

namespace {

TEST(Record, JSONIsReadBack) {
  Record record = makeRecord(makeProblem(512, 256, 128), "stages=4", 12.5);
  record.outcome = Outcome::Correctness;
  record.message = "out0[0, 1, 2] = 3";
  record.resources = {168, 0, 65536, 256, 1024, "abc"};
  Record back = unwrap(recordFromJSON(toJSON(record)));
  EXPECT_TRUE(llvm::json::Value(toJSON(back)) ==
              llvm::json::Value(toJSON(record)));
  EXPECT_EQ(back.config.stages, 4);
  EXPECT_EQ(back.timing.samples.size(), 3u);
}

TEST(Record, WrongJSONIsRefused) {
  llvm::json::Object object =
      toJSON(makeRecord(makeProblem(1, 1, 1), "stages=4", 1));
  llvm::json::Object changed = object;
  changed["microseconds"] = "fast";
  EXPECT_EQ(getError(recordFromJSON(changed)),
            "record: 'microseconds' is not a number");
  changed = object;
  changed.erase("config");
  EXPECT_EQ(getError(recordFromJSON(changed)),
            "record: 'config' is not a string");
  changed = object;
  changed["outcome"] = "lucky";
  EXPECT_EQ(getError(recordFromJSON(changed)),
            "record: outcome 'lucky' or stage 'full' is unknown");
}

TEST(Record, NumbersHaveLimits) {
  Record record = makeRecord(makeProblem(512, 256, 128), "stages=4", 12.5);
  auto check = [&] {
    // Databases and other tuners' files are read without JSON of ours.
    std::string message = llvm::toString(checkNumbers(record));
    EXPECT_EQ(getError(recordFromJSON(toJSON(record))),
              message.empty() ? "no error" : message);
    return message;
  };
  EXPECT_EQ(check(), "");
  record.timing.median = 1e-300;
  EXPECT_EQ(check(), "record: 'microseconds' is 1e-300, but it must be 0 or "
                     "from 1e-6 to 1e15");
  record.timing.median = 5;
  record.timing.samples = {1, -1};
  EXPECT_NE(check(), "");
  record.timing.samples = {INFINITY};
  EXPECT_NE(check(), "");
  record.timing.samples.clear();
  record.state.power = NAN;
  EXPECT_NE(check(), "");
  record.state.power = 1e300;
  EXPECT_NE(check(), "");
  record.state.power.reset();
  record.costs.verify = -1;
  EXPECT_NE(check(), "");
  record.costs.verify = 0;
  record.problem.sizes.k = 0;
  EXPECT_NE(llvm::toString(checkNumbers(record)), "");
}

TEST(Record, OutcomesHaveNames) {
  for (unsigned i = 0; i != kNumOutcomes; ++i) {
    auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(parseOutcome(getOutcomeName(outcome)), outcome);
  }
  EXPECT_EQ(parseOutcome("other"), std::nullopt);
}

TEST(Record, MediansAndTheirIntervals) {
  Timing none = summarizeSamples(TimingStage::Full, {});
  EXPECT_EQ(none.median, 0);
  Timing few = summarizeSamples(TimingStage::Full, {3, 1, 2});
  EXPECT_EQ(few.median, 2);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
  EXPECT_EQ(few.samples,
            std::vector<double>({3, 1, 2})); // In the order of measurement.
  // Le Boudec, table A.1: with n = 31 the 95 % interval of the median is
  // x(10) to x(22), counted from 1.
  std::vector<double> many;
  for (int i = 1; i <= 31; ++i)
    many.push_back(i);
  Timing interval = summarizeSamples(TimingStage::Full, many);
  EXPECT_EQ(interval.median, 16);
  EXPECT_EQ(interval.low, 10);
  EXPECT_EQ(interval.high, 22);
}

TEST(Record, TheGeneratorHasAFingerprint) {
  std::string version = getGeneratorVersion();
  EXPECT_EQ(version.size() - version.find('+'), 11u) << version;
}

} // namespace
