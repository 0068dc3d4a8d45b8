//===- PipelineTest.cpp - Tests of the extended recurrences -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Pipeline.h"
#include "EventSimulation.h"
#include "ModelTestUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tcgemm;
using llvm::cantFail;

namespace {

std::vector<Picoseconds> getMathStarts(const PipelineTrace &trace) {
  std::vector<Picoseconds> starts;
  starts.reserve(trace.stages.size());
  for (const StageStarts &stage : trace.stages)
    starts.push_back(stage.math);
  return starts;
}

using Starts = std::vector<Picoseconds>;

TEST(Pipeline, CopiesGoOnUnderTheEpilogue) {
  // Copies of 2 + 2, products of 5, epilogues of 20; a ring of three slots; two
  // tiles of two stages.
  PipelineTimes times;
  times.ring = {2, 2, 5, 20, 0};
  PipelineTrace trace = cantFail(simulatePipeline(times, {{2, 3, 1}, 1, 2}));
  // The second tile's stages wait for the consumer only.
  EXPECT_EQ(getMathStarts(trace), (Starts{4, 9, 34, 39}));
  EXPECT_EQ(trace.epilogues, (Starts{14, 44}));
  EXPECT_EQ(trace.stages[2].copyA, 8);
  EXPECT_EQ(trace.stages[3].copyA, 12);
  EXPECT_EQ(trace.end, 64);
}

TEST(Pipeline, PingPongMultipliesUnderTheEpilogue) {
  PipelineTimes times;
  times.ring = {2, 2, 5, 20, 0};
  PipelineTrace trace = cantFail(simulatePipeline(times, {{2, 3, 1}, 2, 3}));
  // The second tile is multiplied at once. The third waits for the end of the
  // first epilogue, and its own epilogue for that of the second.
  EXPECT_EQ(getMathStarts(trace), (Starts{4, 9, 14, 19, 34, 39}));
  EXPECT_EQ(trace.epilogues, (Starts{14, 34, 54}));
  EXPECT_EQ(trace.end, 74);
}

TEST(Pipeline, EpiloguesHoldProducts) {
  PipelineTimes times;
  times.ring = {2, 2, 5, 20, 0};
  times.hold = 3;
  PipelineShape shape{{2, 3, 1}, 2, 3};
  shape.storePaths = 2;
  PipelineTrace trace = cantFail(simulatePipeline(times, shape));
  // The second tile waits for shared memory, the third for the first epilogue.
  EXPECT_EQ(getMathStarts(trace), (Starts{4, 9, 17, 22, 34, 39}));
  // The second epilogue does not wait for the first one's stores.
  EXPECT_EQ(trace.epilogues, (Starts{14, 27, 44}));
  EXPECT_EQ(trace.end, 64);
}

TEST(Pipeline, TheLastTileMayHaveOtherTimes) {
  PipelineTimes usual, last;
  usual.ring = {2, 2, 5, 20, 0};
  last.ring = {1, 1, 2, 7, 0};
  usual.prologue = 100;
  PipelineTrace trace =
      cantFail(simulatePipeline({usual, last}, {{2, 2, 1}, 1, 2}));
  // The third stage waits for the first one's slot, which its product of 5
  // frees, and then for the first tile's epilogue.
  EXPECT_EQ(trace.stages[2].copyA, 109);
  EXPECT_EQ(trace.stages[2].copyB, 110);
  EXPECT_EQ(getMathStarts(trace), (Starts{104, 109, 134, 136}));
  EXPECT_EQ(trace.epilogues, (Starts{114, 138}));
  EXPECT_EQ(trace.end, 145);
  // A single tile is the last one.
  trace = cantFail(simulatePipeline({usual, last}, {{2, 2, 1}, 1, 1}));
  EXPECT_EQ(getMathStarts(trace), (Starts{102, 104}));
  EXPECT_EQ(trace.end, 113);
}

TEST(Pipeline, LatencyIsHiddenByDepth) {
  PipelineTimes times;
  times.ring = {1, 1, 2, 0, 0};
  times.latency = 10;
  // Two slots: a stage waits for 2 + 10 after the product two stages earlier.
  EXPECT_EQ(getMathStarts(cantFail(simulatePipeline(times, {{5, 2, 1}, 1, 1}))),
            (Starts{12, 14, 26, 28, 40}));
  EXPECT_EQ(getMathStarts(cantFail(simulatePipeline(times, {{5, 7, 1}, 1, 1}))),
            (Starts{12, 14, 16, 18, 20}));
}

TEST(Pipeline, PrologueReleaseAndDrain) {
  PipelineTimes times;
  times.ring = {1, 1, 2, 3, 0};
  times.prologue = 100;
  times.release = 5;
  times.drain = 7;
  PipelineTrace trace = cantFail(simulatePipeline(times, {{1, 1, 1}, 2, 2}));
  EXPECT_EQ(getMathStarts(trace), (Starts{102, 111}));
  // The second epilogue waits for the first one's stores.
  EXPECT_EQ(trace.epilogues, (Starts{104, 114}));
  EXPECT_EQ(trace.end, 124);
}

PipelineTimes drawTimes(RandomNumbers &random) {
  int64_t most = random.draw({1, 4, 1000});
  auto draw = [&] { return random.draw(0, most); };
  PipelineTimes times;
  times.ring = {draw(), draw(), draw(), draw(), draw()};
  times.latency = draw();
  times.release = draw();
  times.drain = draw();
  times.prologue = draw();
  times.hold = draw();
  return times;
}

/// Half of all CTAs have other times for their last tile.
CtaTimes drawCtaTimes(RandomNumbers &random) {
  PipelineTimes usual = drawTimes(random);
  return random.draw(0, 1) ? CtaTimes(usual)
                           : CtaTimes(usual, drawTimes(random));
}

SimulatedTile getTile(const PipelineTimes &times) {
  SimulatedTile tile;
  tile.copyA = times.ring.copyA;
  tile.copyB = times.ring.copyB;
  tile.latency = times.latency;
  tile.math = times.ring.math;
  tile.release = times.release;
  tile.epilogue = times.ring.epilogue;
  tile.drain = times.drain;
  tile.hold = times.hold;
  return tile;
}

SimulatedCta getCta(const CtaTimes &times, const PipelineShape &shape) {
  SimulatedCta cta;
  cta.tiles.assign(shape.tiles, getTile(times.usual));
  cta.tiles.back() = getTile(times.last);
  cta.prologue = times.usual.prologue;
  cta.stages = shape.ring.stages;
  cta.depth = shape.ring.depth;
  cta.copyWarps = shape.ring.copyWarps;
  cta.consumers = shape.consumers;
  cta.storePaths = shape.storePaths;
  return cta;
}

TEST(Pipeline, EqualsEventSimulation) {
  RandomNumbers random;
  for (int64_t i = 0; i < 10'000; ++i) {
    CtaTimes times = drawCtaTimes(random);
    PipelineShape shape{
        {random.draw(1, 12), random.draw(1, 9), random.draw(1, 2)},
        random.draw(1, 2),
        random.draw(1, 6)};
    shape.storePaths = random.draw(1, shape.consumers);
    SCOPED_TRACE(random.describe(i));
    EventSimulation expected(getCta(times, shape));
    expected.run();
    PipelineTrace trace = cantFail(simulatePipeline(times, shape));
    ASSERT_EQ(trace.stages.size(), expected.mathStarts.size());
    for (size_t stage = 0; stage < trace.stages.size(); ++stage) {
      ASSERT_EQ(trace.stages[stage].copyA, expected.copyStarts[0][stage]);
      ASSERT_EQ(trace.stages[stage].copyB, expected.copyStarts[1][stage]);
      ASSERT_EQ(trace.stages[stage].math, expected.mathStarts[stage]);
    }
    ASSERT_EQ(trace.epilogues, expected.epilogueStarts);
    // The oracle's last event may be the release of a slot.
    ASSERT_EQ(trace.end, expected.storeEnd);
  }
}

TEST(Pipeline, EndIsThatOfTheTrace) {
  RandomNumbers random;
  for (int64_t i = 0; i < 5'000; ++i) {
    CtaTimes times = drawCtaTimes(random);
    int64_t mostStages = random.draw({4, 20, 300});
    PipelineShape shape{{random.draw(1, mostStages),
                         random.draw(1, random.draw({2, 9, kMaxRingDepth})),
                         random.draw(1, 2)},
                        random.draw(1, 2),
                        random.draw(1, random.draw({1, 6, 40}))};
    shape.storePaths = random.draw(1, shape.consumers);
    SCOPED_TRACE(random.describe(i));
    PipelineEnds ends = cantFail(findPipelineEnds(times, shape));
    PipelineTrace trace = cantFail(simulatePipeline(times, shape));
    ASSERT_EQ(ends.firstEpilogue, trace.epilogues.front());
    ASSERT_EQ(ends.end, trace.end);
    ASSERT_LE(boundPipeline(times, shape), ends.end);
  }
}

/// Each term of the bound is the time of a pipeline that it limits.
TEST(Pipeline, BoundIsReached) {
  PipelineTimes times;
  times.prologue = 100;
  times.latency = 10;
  times.drain = 7;
  auto expectReached = [&](const RingTimes &ring, const PipelineShape &shape) {
    times.ring = ring;
    CtaTimes all = times;
    // The limit is the same with a last tile in half of the time.
    for (bool isLastShorter : {false, true}) {
      if (isLastShorter)
        all.last.ring = {ring.copyA / 2, ring.copyB / 2, ring.math / 2,
                         ring.epilogue / 2, 0};
      EXPECT_EQ(boundPipeline(all, shape),
                cantFail(findPipelineEnds(all, shape)).end);
    }
  };
  expectReached({1, 1, 50, 3, 0}, {{20, 4, 1}, 1, 1});
  expectReached({1, 1, 50, 3, 0}, {{20, 4, 1}, 1, 5});
  expectReached({30, 20, 5, 3, 0}, {{20, 4, 1}, 2, 5});
  expectReached({1, 1, 2, 3, 0}, {{21, 2, 1}, 1, 1});
  expectReached({1, 1, 2, 500, 0}, {{3, 4, 1}, 2, 5});
  PipelineShape shape{{3, 4, 1}, 2, 5};
  shape.storePaths = 2;
  expectReached({1, 1, 2, 500, 0}, shape);
  times.hold = 4;
  expectReached({1, 1, 50, 3, 0}, {{20, 4, 1}, 2, 5});
}

TEST(Pipeline, ContainsThePapersModel) {
  RandomNumbers random;
  for (int64_t i = 0; i < 1000; ++i) {
    RingTimes times = drawTimes(random).ring;
    RingShape shape{random.draw(1, 40), random.draw(1, 9), random.draw(1, 2)};
    SCOPED_TRACE(random.describe(i));
    RingTrace ring = cantFail(simulateWave(times, shape));
    PipelineTrace trace = cantFail(
        simulatePipeline(PipelineTimes{times, 0, 0, 0, 0}, {shape, 1, 1}));
    for (auto [stage, expected] : llvm::zip_equal(trace.stages, ring.stages)) {
      ASSERT_EQ(stage.copyA, expected.copyA);
      ASSERT_EQ(stage.copyB, expected.copyB);
      ASSERT_EQ(stage.math, expected.math);
    }
    ASSERT_EQ(trace.epilogues[0], ring.mathEnd);
    ASSERT_EQ(trace.end, ring.end);
  }
}

TEST(Pipeline, RefusesNumbersOutsideTheirRanges) {
  auto getError = [](const CtaTimes &times, const PipelineShape &shape) {
    std::string error = toString(findPipelineEnds(times, shape).takeError());
    EXPECT_EQ(error, toString(simulatePipeline(times, shape).takeError()));
    return error;
  };
  PipelineTimes times;
  times.latency = -1;
  EXPECT_EQ(getError(times, {}), "T_LAT = -1, but it must be 0 to 68719476736");
  EXPECT_EQ(getError({PipelineTimes(), times}, {}),
            "T_LAT = -1, but it must be 0 to 68719476736");
  EXPECT_EQ(getError({}, {{1, 2, 1}, 3, 1}),
            "consumers = 3, but it must be 1 to 2");
  EXPECT_EQ(getError({}, {{1 << 18, 2, 1}, 1, 5}),
            "tiles of a CTA = 5, but it must be 1 to 4");
  EXPECT_EQ(getError({}, {{0, 2, 1}, 1, 1}),
            "stages = 0, but it must be 1 to 1048576");
}

} // namespace
