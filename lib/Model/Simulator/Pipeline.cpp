//===- Pipeline.cpp - The events of a wgmma kernel's CTA ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Pipeline.h"
#include "Simulator/Range.h"

#include <algorithm>
#include <array>
#include <optional>

using namespace llvm;

namespace tcgemm {
namespace {

class Pipeline {
public:
  Pipeline(const PipelineTimes &times, const PipelineShape &shape)
      : times(times), shape(shape) {}
  PipelineTrace run();

private:
  StageStarts startStage(int64_t stage) const;
  Picoseconds getRelease(int64_t stage) const;
  Picoseconds startEpilogue(int64_t tile) const;

  const PipelineTimes &times;
  const PipelineShape &shape;
  PipelineTrace trace;
};

} // namespace

/// When the slot of `stage` is free, at first or again.
Picoseconds Pipeline::getRelease(int64_t stage) const {
  if (stage < shape.ring.depth)
    return times.prologue;
  return trace.stages[stage - shape.ring.depth].math + times.ring.math +
         times.release;
}

StageStarts Pipeline::startStage(int64_t stage) const {
  const RingTimes &ring = times.ring;
  Picoseconds free = getRelease(stage);
  const StageStarts *last = stage ? &trace.stages.back() : nullptr;
  StageStarts next = {free, free, 0};
  if (shape.ring.copyWarps == 1) {
    if (last)
      next.copyA = std::max(free, last->copyB + ring.copyB);
    next.copyB = std::max(free, next.copyA + ring.copyA);
  } else if (last) {
    next.copyA = std::max(free, last->copyA + ring.copyA);
    next.copyB = std::max(free, last->copyB + ring.copyB);
  }
  next.math = std::max(next.copyA + ring.copyA, next.copyB + ring.copyB) +
              times.latency;
  int64_t tile = stage / shape.ring.stages;
  bool isFirstOfTile = stage % shape.ring.stages == 0;
  if (last)
    next.math = std::max(next.math, last->math + ring.math +
                                        (isFirstOfTile ? times.hold : 0));
  if (isFirstOfTile && tile >= shape.consumers)
    next.math = std::max(next.math, trace.epilogues[tile - shape.consumers] +
                                        ring.epilogue);
  return next;
}

Picoseconds Pipeline::startEpilogue(int64_t tile) const {
  Picoseconds start = trace.stages.back().math + times.ring.math;
  if (tile >= shape.storePaths)
    start = std::max(start, trace.epilogues[tile - shape.storePaths] +
                                times.ring.epilogue + times.drain);
  return start;
}

namespace {

/// The same events without a record of them. The starts of a stage follow from
/// those of the ring's last stages by maxima and sums, so that they all shift
/// by the same time if those did. What repeats is counted instead of simulated.
class PipelineEnd {
public:
  PipelineEnd(const PipelineTimes &times, const PipelineShape &shape)
      : times(times), shape(shape), depth(shape.ring.depth) {
    std::fill_n(last.begin(), depth, StageStarts{0, 0, 0});
  }
  PipelineEnds find();

private:
  /// The times on which the events after a tile depend.
  struct State {
    /// The last stages, as many as the ring has, from the oldest one on.
    std::array<StageStarts, kMaxRingDepth> stages;
    /// The last epilogue, and the one before it.
    std::array<Picoseconds, 2> epilogues;
  };

  void startStage(bool isFirstOfTile);
  void runTile();
  void skipTiles();
  void shiftStages(Picoseconds time);
  void setState(State &state) const;
  std::optional<Picoseconds> getShift(const State &before) const;

  const PipelineTimes &times;
  const PipelineShape &shape;
  const int64_t depth;
  /// The starts of the last stages; `slot` is the place of the next one.
  std::array<StageStarts, kMaxRingDepth> last;
  int64_t slot = 0, numStages = 0, numTiles = 0;
  std::array<Picoseconds, 2> epilogues = {0, 0};
  Picoseconds firstEpilogue = 0;
  /// The number of last stages that all started `period` after the stages that
  /// had their slots before.
  int64_t numRepeated = 0;
  Picoseconds period = 0;
  /// The states after the last two tiles, in the places of even and odd ones,
  /// and how many of them are known.
  std::array<State, 2> states;
  int64_t numStates = 0;
};

} // namespace

void PipelineEnd::startStage(bool isFirstOfTile) {
  const RingTimes &ring = times.ring;
  StageStarts &own = last[slot];
  const StageStarts before = own;
  bool isReused = numStages >= depth;
  Picoseconds free =
      isReused ? before.math + ring.math + times.release : times.prologue;
  StageStarts next = {free, free, 0};
  const StageStarts &previous = last[slot ? slot - 1 : depth - 1];
  if (shape.ring.copyWarps == 1) {
    if (numStages)
      next.copyA = std::max(free, previous.copyB + ring.copyB);
    next.copyB = std::max(free, next.copyA + ring.copyA);
  } else if (numStages) {
    next.copyA = std::max(free, previous.copyA + ring.copyA);
    next.copyB = std::max(free, previous.copyB + ring.copyB);
  }
  next.math = std::max(next.copyA + ring.copyA, next.copyB + ring.copyB) +
              times.latency;
  if (numStages)
    next.math = std::max(next.math, previous.math + ring.math +
                                        (isFirstOfTile ? times.hold : 0));
  if (isFirstOfTile && numTiles >= shape.consumers)
    next.math =
        std::max(next.math, epilogues[shape.consumers - 1] + ring.epilogue);
  Picoseconds shift = next.math - before.math;
  bool repeats = isReused && !isFirstOfTile &&
                 next.copyA - before.copyA == shift &&
                 next.copyB - before.copyB == shift;
  numRepeated = !repeats ? 0 : shift == period ? numRepeated + 1 : 1;
  period = shift;
  own = next;
  slot = slot + 1 == depth ? 0 : slot + 1;
  ++numStages;
}

/// If all slots repeat, the tile's other stages do, too.
void PipelineEnd::runTile() {
  int64_t stages = shape.ring.stages;
  for (int64_t i = 0; i < stages; ++i) {
    startStage(i == 0);
    int64_t rounds = (stages - 1 - i) / depth;
    if (numRepeated < depth || rounds == 0)
      continue;
    shiftStages(rounds * period);
    numStages += rounds * depth;
    i += rounds * depth;
  }
  const StageStarts &previous = last[slot ? slot - 1 : depth - 1];
  Picoseconds start = previous.math + times.ring.math;
  if (numTiles >= shape.storePaths)
    start = std::max(start, epilogues[shape.storePaths - 1] +
                                times.ring.epilogue + times.drain);
  if (numTiles == 0)
    firstEpilogue = start;
  epilogues = {start, epilogues[0]};
  ++numTiles;
}

void PipelineEnd::shiftStages(Picoseconds time) {
  for (int64_t i = 0; i != depth; ++i) {
    last[i].copyA += time;
    last[i].copyB += time;
    last[i].math += time;
  }
}

void PipelineEnd::setState(State &state) const {
  auto oldest = last.begin() + slot, end = last.begin() + depth;
  std::copy(last.begin(), oldest, std::copy(oldest, end, state.stages.begin()));
  state.epilogues = epilogues;
}

/// The time by which all of the state is later than before; none if that
/// differs.
std::optional<Picoseconds> PipelineEnd::getShift(const State &before) const {
  Picoseconds shift = epilogues[0] - before.epilogues[0];
  if (epilogues[1] - before.epilogues[1] != shift)
    return std::nullopt;
  for (int64_t i = 0, place = slot; i != depth; ++i) {
    const StageStarts &now = last[place], &then = before.stages[i];
    if (now.copyA - then.copyA != shift || now.copyB - then.copyB != shift ||
        now.math - then.math != shift)
      return std::nullopt;
    place = place + 1 == depth ? 0 : place + 1;
  }
  return shift;
}

/// Leaves out tiles that repeat the last one or two. Before those, all slots
/// were used and all consumers had tiles, as from then on.
void PipelineEnd::skipTiles() {
  for (int64_t period = 1; period <= numStates; ++period) {
    int64_t rounds = (shape.tiles - numTiles) / period;
    if (rounds == 0)
      continue;
    std::optional<Picoseconds> shift =
        getShift(states[(numTiles - period) % 2]);
    if (!shift)
      continue;
    Picoseconds time = rounds * *shift;
    shiftStages(time);
    epilogues = {epilogues[0] + time, epilogues[1] + time};
    numTiles += rounds * period;
    numStages += rounds * period * shape.ring.stages;
    numStates = 0;
    return;
  }
  setState(states[numTiles % 2]);
  numStates = std::min<int64_t>(2, numStates + 1);
}

PipelineEnds PipelineEnd::find() {
  while (numTiles < shape.tiles) {
    runTile();
    bool isUsual = numStages >= depth && numTiles >= shape.consumers;
    if (isUsual && numTiles < shape.tiles)
      skipTiles();
  }
  return {firstEpilogue, epilogues[0] + times.ring.epilogue + times.drain};
}

PipelineTrace Pipeline::run() {
  trace.stages.reserve(shape.tiles * shape.ring.stages);
  for (int64_t tile = 0; tile < shape.tiles; ++tile) {
    for (int64_t i = 0; i < shape.ring.stages; ++i)
      trace.stages.push_back(startStage(tile * shape.ring.stages + i));
    trace.epilogues.push_back(startEpilogue(tile));
  }
  trace.end = trace.epilogues.back() + times.ring.epilogue + times.drain;
  return std::move(trace);
}

Error checkPipeline(const PipelineTimes &times, const PipelineShape &shape) {
  if (Error error = checkRing(times.ring, shape.ring))
    return error;
  return checkRanges(
      {{"T_LAT", times.latency, 0, kMaxRingTime},
       {"T_REL", times.release, 0, kMaxRingTime},
       {"T_DRAIN", times.drain, 0, kMaxRingTime},
       {"T_PRO", times.prologue, 0, kMaxRingTime},
       {"T_HOLD", times.hold, 0, kMaxRingTime},
       {"consumers", shape.consumers, 1, 2},
       {"paths of stores", shape.storePaths, 1, shape.consumers},
       {"tiles of a CTA", shape.tiles, 1, kMaxRingStages / shape.ring.stages}});
}

Expected<PipelineTrace> simulatePipeline(const PipelineTimes &times,
                                         const PipelineShape &shape) {
  if (Error error = checkPipeline(times, shape))
    return std::move(error);
  return Pipeline(times, shape).run();
}

Expected<PipelineEnds> findPipelineEnds(const PipelineTimes &times,
                                        const PipelineShape &shape) {
  if (Error error = checkPipeline(times, shape))
    return std::move(error);
  return PipelineEnd(times, shape).find();
}

Picoseconds boundPipeline(const PipelineTimes &times,
                          const PipelineShape &shape) {
  const RingTimes &ring = times.ring;
  Picoseconds copy = shape.ring.copyWarps == 1
                         ? ring.copyA + ring.copyB
                         : std::max(ring.copyA, ring.copyB);
  int64_t stages = shape.tiles * shape.ring.stages;
  // From the first product to the last one: those of all stages, between which
  // a single consumer stores tiles, or others wait for shared memory; all
  // copies; a slot's way through the ring; all tiles' stores but the last
  // one's.
  Picoseconds ofTile = times.hold;
  if (shape.consumers == 1)
    ofTile = std::max(ofTile, ring.epilogue);
  Picoseconds products = (stages - 1) * ring.math + (shape.tiles - 1) * ofTile;
  Picoseconds slot = copy + times.latency + ring.math + times.release;
  Picoseconds stores =
      (shape.ring.stages - 1) * ring.math +
      (shape.tiles - 1) / shape.storePaths * (ring.epilogue + times.drain);
  Picoseconds loop = std::max({products, (stages - 1) * copy,
                               (stages - 1) / shape.ring.depth * slot, stores});
  return times.prologue + copy + times.latency + loop + ring.math +
         ring.epilogue + times.drain;
}

} // namespace tcgemm
