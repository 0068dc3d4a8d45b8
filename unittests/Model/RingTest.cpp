//===- RingTest.cpp - Tests of the recurrences ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Ring.h"
#include "EventSimulation.h"
#include "ModelTestUtils.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace tcgemm;
using llvm::cantFail;

namespace {

/// The starts as rows of Sa, Sb, Sm.
std::vector<std::array<int64_t, 3>> getRows(const RingTrace &trace) {
  std::vector<std::array<int64_t, 3>> rows;
  rows.reserve(trace.stages.size());
  for (const StageStarts &stage : trace.stages)
    rows.push_back({stage.copyA, stage.copyB, stage.math});
  return rows;
}

using Rows = std::vector<std::array<int64_t, 3>>;

TEST(Ring, TraceBoundByCopies) {
  RingTrace trace = cantFail(simulateWave({3, 2, 1, 10, 0}, {4, 2, 1}));
  EXPECT_EQ(getRows(trace),
            (Rows{{0, 3, 5}, {5, 8, 10}, {10, 13, 15}, {15, 18, 20}}));
  EXPECT_EQ(trace.mathEnd, 21);
  EXPECT_EQ(trace.end, 31);
  EXPECT_EQ(trace.wait, 5 + 4 + 4 + 4);
}

TEST(Ring, TraceBoundByProducts) {
  RingTrace trace = cantFail(simulateWave({1, 2, 7, 4, 0}, {5, 2, 1}));
  // Slots 1 and 2 are free at once, the third stage waits for the first
  // product's end.
  EXPECT_EQ(
      getRows(trace),
      (Rows{{0, 1, 3}, {3, 4, 10}, {10, 11, 17}, {17, 18, 24}, {24, 25, 31}}));
  EXPECT_EQ(trace.end, 31 + 7 + 4);
  EXPECT_EQ(trace.wait, 3);
}

TEST(Ring, TraceOfOneSlot) {
  RingTrace trace = cantFail(simulateWave({1, 2, 7, 4, 0}, {3, 1, 1}));
  EXPECT_EQ(getRows(trace), (Rows{{0, 1, 3}, {10, 11, 13}, {20, 21, 23}}));
  EXPECT_EQ(trace.wait, 9);
}

TEST(Ring, TraceOfTwoCopyWarps) {
  RingTrace trace = cantFail(simulateWave({5, 2, 1, 4, 0}, {4, 2, 2}));
  EXPECT_EQ(getRows(trace),
            (Rows{{0, 0, 5}, {5, 2, 10}, {10, 6, 15}, {15, 11, 20}}));
  EXPECT_EQ(trace.wait, 5 + 4 + 4 + 4);
}

/// A row of the paper's Table 2: the sizes, TM, TN, TK, and the column headed
/// Measured, in milliseconds.
struct Table2Row {
  int64_t m, n, k, tileM, tileN, tileK;
  const char *measured;
};

constexpr Table2Row kTable2[] = {{256, 256, 256, 128, 128, 64, "0.008188"},
                                 {256, 256, 256, 128, 64, 64, "0.008188"},
                                 {256, 256, 512, 128, 128, 64, "0.012708"},
                                 {256, 256, 512, 128, 64, 64, "0.012708"},
                                 {256, 256, 1024, 128, 128, 64, "0.021748"},
                                 {256, 256, 1024, 128, 64, 64, "0.021748"},
                                 {256, 512, 256, 128, 128, 64, "0.008188"},
                                 {256, 512, 256, 128, 64, 64, "0.008188"},
                                 {256, 512, 512, 128, 128, 64, "0.012708"},
                                 {256, 512, 512, 128, 64, 64, "0.012708"},
                                 {256, 512, 1024, 128, 128, 64, "0.021748"},
                                 {256, 512, 1024, 128, 64, 64, "0.021748"},
                                 {256, 1024, 256, 128, 128, 64, "0.008188"},
                                 {256, 1024, 256, 128, 64, 64, "0.008188"},
                                 {256, 1024, 512, 128, 128, 64, "0.012708"},
                                 {256, 1024, 512, 128, 64, 64, "0.012708"},
                                 {256, 1024, 1024, 128, 128, 64, "0.021748"},
                                 {256, 1024, 1024, 128, 64, 64, "0.021748"},
                                 {512, 512, 256, 128, 128, 64, "0.008188"},
                                 {512, 512, 256, 128, 64, 64, "0.008188"},
                                 {512, 512, 512, 128, 128, 64, "0.012708"},
                                 {512, 512, 512, 128, 64, 64, "0.012708"},
                                 {512, 512, 1024, 128, 128, 64, "0.021748"},
                                 {512, 512, 1024, 128, 64, 64, "0.021748"},
                                 {512, 1024, 256, 128, 128, 64, "0.008188"},
                                 {512, 1024, 256, 128, 64, 64, "0.008188"},
                                 {512, 1024, 512, 128, 128, 64, "0.012708"},
                                 {512, 1024, 512, 128, 64, 64, "0.012708"},
                                 {512, 1024, 1024, 128, 128, 64, "0.021748"},
                                 {512, 1024, 1024, 128, 64, 64, "0.021748"},
                                 {1024, 1024, 256, 128, 128, 64, "0.008188"},
                                 {1024, 1024, 256, 128, 64, 64, "0.014696"},
                                 {1024, 1024, 512, 128, 128, 64, "0.012708"},
                                 {1024, 1024, 512, 128, 64, 64, "0.023736"},
                                 {1024, 1024, 1024, 128, 128, 64, "0.021748"},
                                 {1024, 1024, 1024, 128, 64, 64, "0.041816"}};

TEST(Ring, Table2OfThePaper) {
  static_assert(std::size(kTable2) == 36);
  // The paper gives T_EPI; the others follow from its rows. Only the sum of
  // T_A and T_B does.
  constexpr RingTimes times = {/*copyA=*/565'000, /*copyB=*/565'000,
                               /*math=*/445'000, /*epilogue=*/1'543'000,
                               /*init=*/1'680'000};
  for (const Table2Row &row : kTable2)
    for (int64_t depth : {2, 3, 8}) {
      int64_t tiles = llvm::divideCeil(row.m, row.tileM) *
                      llvm::divideCeil(row.n, row.tileN);
      RingShape shape{int64_t(llvm::divideCeil(row.k, row.tileK)), depth, 1};
      RingResult result =
          cantFail(simulateRing(times, shape, llvm::divideCeil(tiles, 84)));
      EXPECT_EQ(llvm::formatv("{0:f6}", result.total * 1e-9).str(),
                row.measured)
          << row.m << "x" << row.n << "x" << row.k << " by " << row.tileM << "x"
          << row.tileN << "x" << row.tileK << ", depth " << depth;
    }
}

RingTimes drawTimes(RandomNumbers &random) {
  // Few values give many events at the same time.
  int64_t most = random.draw({1, 4, 1000});
  auto draw = [&] { return random.draw(0, most); };
  return {draw(), draw(), draw(), draw(), draw()};
}

TEST(Ring, EqualsEventSimulation) {
  RandomNumbers random;
  for (int64_t i = 0; i < 10'000; ++i) {
    RingTimes times = drawTimes(random);
    RingShape shape{random.draw(1, 40), random.draw(1, 9), random.draw(1, 2)};
    SCOPED_TRACE(random.describe(i));
    SimulatedTile tile;
    tile.copyA = times.copyA;
    tile.copyB = times.copyB;
    tile.math = times.math;
    tile.epilogue = times.epilogue;
    SimulatedCta cta;
    cta.tiles = {tile};
    cta.stages = shape.stages;
    cta.depth = shape.depth;
    cta.copyWarps = shape.copyWarps;
    EventSimulation expected(cta);
    expected.run();
    RingTrace trace = cantFail(simulateWave(times, shape));
    for (int64_t stage = 0; stage < shape.stages; ++stage) {
      ASSERT_EQ(trace.stages[stage].copyA, expected.copyStarts[0][stage]);
      ASSERT_EQ(trace.stages[stage].copyB, expected.copyStarts[1][stage]);
      ASSERT_EQ(trace.stages[stage].math, expected.mathStarts[stage]);
    }
    ASSERT_EQ(trace.mathEnd, expected.epilogueStarts[0]);
    ASSERT_EQ(trace.end, expected.storeEnd);
    ASSERT_EQ(trace.wait, trace.mathEnd - shape.stages * times.math);
    ASSERT_LE(boundWave(times, shape), trace.end);
    if (shape.depth > 1) {
      ASSERT_EQ(boundWave(times, shape), trace.end);
    }
  }
}

TEST(Ring, RefusesNumbersOutsideTheirRanges) {
  auto getError = [](RingTimes times, RingShape shape, int64_t waves) {
    return toString(simulateRing(times, shape, waves).takeError());
  };
  EXPECT_EQ(getError({-1, 0, 0, 0, 0}, {}, 1),
            "T_A = -1, but it must be 0 to 68719476736");
  EXPECT_EQ(getError({}, {0, 2, 1}, 1),
            "stages = 0, but it must be 1 to 1048576");
  EXPECT_EQ(getError({}, {1, 65, 1}, 1), "depth = 65, but it must be 1 to 64");
  EXPECT_EQ(getError({}, {1, 2, 3}, 1),
            "copy warps = 3, but it must be 1 to 2");
  EXPECT_EQ(getError({}, {1, 2, 1}, 0),
            "waves = 0, but it must be 1 to 4294967296");
  // The largest times, stages and the waves that still fit.
  RingTimes longest{kMaxRingTime, kMaxRingTime, kMaxRingTime, kMaxRingTime,
                    kMaxRingTime};
  EXPECT_EQ(getError(longest, {kMaxRingStages, 1, 1}, 100),
            "waves = 100, but it must be 1 to 42");
  EXPECT_GT(cantFail(simulateRing(longest, {kMaxRingStages, 1, 1}, 42)).total,
            0);
}

} // namespace
