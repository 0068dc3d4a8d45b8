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
  Pipeline(const CtaTimes &times, const PipelineShape &shape)
      : times(times), shape(shape) {}
  PipelineTrace run();

private:
  /// The times of a tile, and of a stage's tile.
  const PipelineTimes &ofTile(int64_t tile) const {
    return times.get(tile, shape);
  }
  const PipelineTimes &ofStage(int64_t stage) const {
    return ofTile(stage / shape.ring.stages);
  }
  StageStarts startStage(int64_t stage) const;
  Picoseconds getRelease(int64_t stage) const;
  Picoseconds startEpilogue(int64_t tile) const;

  const CtaTimes &times;
  const PipelineShape &shape;
  PipelineTrace trace;
};

} // namespace

/// When the slot of `stage` is free, at first or again.
Picoseconds Pipeline::getRelease(int64_t stage) const {
  int64_t before = stage - shape.ring.depth;
  if (before < 0)
    return times.usual.prologue;
  const PipelineTimes &ofBefore = ofStage(before);
  return trace.stages[before].math + ofBefore.ring.math + ofBefore.release;
}

StageStarts Pipeline::startStage(int64_t stage) const {
  const RingTimes &ring = ofStage(stage).ring;
  Picoseconds free = getRelease(stage);
  const StageStarts *last = stage ? &trace.stages.back() : nullptr;
  const PipelineTimes &ofLast = ofStage(std::max<int64_t>(0, stage - 1));
  StageStarts next = {free, free, 0};
  if (shape.ring.copyWarps == 1) {
    if (last)
      next.copyA = std::max(free, last->copyB + ofLast.ring.copyB);
    next.copyB = std::max(free, next.copyA + ring.copyA);
  } else if (last) {
    next.copyA = std::max(free, last->copyA + ofLast.ring.copyA);
    next.copyB = std::max(free, last->copyB + ofLast.ring.copyB);
  }
  next.math = std::max(next.copyA + ring.copyA, next.copyB + ring.copyB) +
              ofStage(stage).latency;
  int64_t tile = stage / shape.ring.stages;
  bool isFirstOfTile = stage % shape.ring.stages == 0;
  if (last)
    next.math = std::max(next.math, last->math + ofLast.ring.math +
                                        (isFirstOfTile ? ofLast.hold : 0));
  if (isFirstOfTile && tile >= shape.consumers) {
    int64_t before = tile - shape.consumers;
    next.math = std::max(next.math, trace.epilogues[before] +
                                        ofTile(before).ring.epilogue);
  }
  return next;
}

Picoseconds Pipeline::startEpilogue(int64_t tile) const {
  Picoseconds start = trace.stages.back().math + ofTile(tile).ring.math;
  if (int64_t before = tile - shape.storePaths; before >= 0)
    start =
        std::max(start, trace.epilogues[before] + ofTile(before).ring.epilogue +
                            ofTile(before).drain);
  return start;
}

/// When the last tile's stores end, and those of the tile before, which may
/// take longer. The numbers are the starts of their epilogues.
static Picoseconds findEnd(const CtaTimes &times, const PipelineShape &shape,
                           Picoseconds last, Picoseconds before) {
  Picoseconds end = last + times.last.ring.epilogue + times.last.drain;
  if (shape.tiles > 1)
    end = std::max(end, before + times.usual.ring.epilogue + times.usual.drain);
  return end;
}

namespace {

/// The same events without a record of them. The starts of a stage follow from
/// those of the ring's last stages by maxima and sums, so that they all shift
/// by the same time if those did. What repeats is counted instead of simulated.
/// The last tile, which may have other times, is simulated.
class PipelineEnd {
public:
  PipelineEnd(const CtaTimes &times, const PipelineShape &shape)
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

  /// `place` is that of the stage in its tile.
  void startStage(int64_t place);
  void runTile();
  void skipTiles();
  void shiftStages(Picoseconds time);
  void setState(State &state) const;
  std::optional<Picoseconds> getShift(const State &before) const;

  /// The times of the current tile, and whether it is the last one.
  const PipelineTimes &getTimes() const { return times.get(numTiles, shape); }
  bool isLastTile() const { return numTiles + 1 == shape.tiles; }

  const CtaTimes &times;
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

void PipelineEnd::startStage(int64_t place) {
  const PipelineTimes &ofTile = getTimes();
  const RingTimes &ring = ofTile.ring;
  // Earlier tiles have the usual times.
  const PipelineTimes &ofSlot = place < depth ? times.usual : ofTile;
  const PipelineTimes &ofPrevious = place == 0 ? times.usual : ofTile;
  StageStarts &own = last[slot];
  const StageStarts before = own;
  bool isReused = numStages >= depth;
  Picoseconds free = isReused ? before.math + ofSlot.ring.math + ofSlot.release
                              : times.usual.prologue;
  StageStarts next = {free, free, 0};
  const StageStarts &previous = last[slot ? slot - 1 : depth - 1];
  if (shape.ring.copyWarps == 1) {
    if (numStages)
      next.copyA = std::max(free, previous.copyB + ofPrevious.ring.copyB);
    next.copyB = std::max(free, next.copyA + ring.copyA);
  } else if (numStages) {
    next.copyA = std::max(free, previous.copyA + ofPrevious.ring.copyA);
    next.copyB = std::max(free, previous.copyB + ofPrevious.ring.copyB);
  }
  next.math = std::max(next.copyA + ring.copyA, next.copyB + ring.copyB) +
              ofTile.latency;
  if (numStages)
    next.math = std::max(next.math, previous.math + ofPrevious.ring.math +
                                        (place == 0 ? times.usual.hold : 0));
  if (place == 0 && numTiles >= shape.consumers)
    next.math = std::max(next.math, epilogues[shape.consumers - 1] +
                                        times.usual.ring.epilogue);
  Picoseconds shift = next.math - before.math;
  // Stages repeat only if the ones before them had the times of the same tile.
  bool repeats = isReused && place != 0 && (!isLastTile() || place >= depth) &&
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
    startStage(i);
    int64_t rounds = (stages - 1 - i) / depth;
    if (numRepeated < depth || rounds == 0)
      continue;
    shiftStages(rounds * period);
    numStages += rounds * depth;
    i += rounds * depth;
  }
  const StageStarts &previous = last[slot ? slot - 1 : depth - 1];
  Picoseconds start = previous.math + getTimes().ring.math;
  if (numTiles >= shape.storePaths)
    start = std::max(start, epilogues[shape.storePaths - 1] +
                                times.usual.ring.epilogue + times.usual.drain);
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

/// Leaves out tiles before the last that repeat the previous one or two. Before
/// those, all slots were used and all consumers had tiles, as from then on.
void PipelineEnd::skipTiles() {
  for (int64_t period = 1; period <= numStates; ++period) {
    int64_t rounds = (shape.tiles - 1 - numTiles) / period;
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
  while (!isLastTile()) {
    runTile();
    bool isUsual = numStages >= depth && numTiles >= shape.consumers;
    if (isUsual && !isLastTile())
      skipTiles();
  }
  runTile();
  return {firstEpilogue, findEnd(times, shape, epilogues[0], epilogues[1])};
}

PipelineTrace Pipeline::run() {
  trace.stages.reserve(shape.tiles * shape.ring.stages);
  for (int64_t tile = 0; tile < shape.tiles; ++tile) {
    for (int64_t i = 0; i < shape.ring.stages; ++i)
      trace.stages.push_back(startStage(tile * shape.ring.stages + i));
    trace.epilogues.push_back(startEpilogue(tile));
  }
  size_t before = trace.epilogues.size() - std::min<int64_t>(shape.tiles, 2);
  trace.end =
      findEnd(times, shape, trace.epilogues.back(), trace.epilogues[before]);
  return std::move(trace);
}

/// Checks the times of a tile.
static Error checkTimes(const PipelineTimes &times,
                        const PipelineShape &shape) {
  if (Error error = checkRing(times.ring, shape.ring))
    return error;
  return checkRanges({{"T_LAT", times.latency, 0, kMaxRingTime},
                      {"T_REL", times.release, 0, kMaxRingTime},
                      {"T_DRAIN", times.drain, 0, kMaxRingTime},
                      {"T_PRO", times.prologue, 0, kMaxRingTime},
                      {"T_HOLD", times.hold, 0, kMaxRingTime}});
}

Error checkPipeline(const CtaTimes &times, const PipelineShape &shape) {
  for (const PipelineTimes *each : {&times.usual, &times.last})
    if (Error error = checkTimes(*each, shape))
      return error;
  return checkRanges(
      {{"consumers", shape.consumers, 1, 2},
       {"paths of stores", shape.storePaths, 1, shape.consumers},
       {"tiles of a CTA", shape.tiles, 1, kMaxRingStages / shape.ring.stages}});
}

Expected<PipelineTrace> simulatePipeline(const CtaTimes &times,
                                         const PipelineShape &shape) {
  if (Error error = checkPipeline(times, shape))
    return std::move(error);
  return Pipeline(times, shape).run();
}

Expected<PipelineEnds> findPipelineEnds(const CtaTimes &times,
                                        const PipelineShape &shape) {
  if (Error error = checkPipeline(times, shape))
    return std::move(error);
  return PipelineEnd(times, shape).find();
}

namespace {

/// The limits of a CTA's last product.
class PipelineBound {
public:
  PipelineBound(const CtaTimes &times, const PipelineShape &shape)
      : usual(times.usual), last(times.last),
        first(shape.tiles == 1 ? last : usual), shape(shape),
        stages(shape.ring.stages), usualStages((shape.tiles - 1) * stages) {}
  Picoseconds find() const;

private:
  /// The copies of a stage, with one warp or the slower one of two.
  Picoseconds getCopy(const RingTimes &ring) const {
    return shape.ring.copyWarps == 1 ? ring.copyA + ring.copyB
                                     : std::max(ring.copyA, ring.copyB);
  }
  Picoseconds sumProducts() const;
  Picoseconds sumCopies() const;
  Picoseconds sumSlots() const;
  Picoseconds sumStores() const;

  const PipelineTimes &usual, &last, &first;
  const PipelineShape &shape;
  const int64_t stages, usualStages;
};

} // namespace

/// The first stage's copies, and all products but the last. Between tiles, a
/// single consumer stores, or others wait for shared memory.
Picoseconds PipelineBound::sumProducts() const {
  Picoseconds ofTile = usual.hold;
  if (shape.consumers == 1)
    ofTile = std::max(ofTile, usual.ring.epilogue);
  return getCopy(first.ring) + first.latency + usualStages * usual.ring.math +
         (stages - 1) * last.ring.math + (shape.tiles - 1) * ofTile;
}

/// All copies.
Picoseconds PipelineBound::sumCopies() const {
  Picoseconds ofA = usualStages * usual.ring.copyA + stages * last.ring.copyA;
  Picoseconds ofB = usualStages * usual.ring.copyB + stages * last.ring.copyB;
  return last.latency +
         (shape.ring.copyWarps == 1 ? ofA + ofB : std::max(ofA, ofB));
}

/// The stages that have the slot of the last one.
Picoseconds PipelineBound::sumSlots() const {
  int64_t depth = shape.ring.depth;
  int64_t inAll = (usualStages + stages - 1) / depth + 1;
  int64_t inLast = (stages - 1) / depth + 1;
  auto fill = [&](const PipelineTimes &times) {
    return getCopy(times.ring) + times.latency;
  };
  auto free = [](const PipelineTimes &times) {
    return times.ring.math + times.release;
  };
  return (inAll - inLast) * (fill(usual) + free(usual)) + inLast * fill(last) +
         (inLast - 1) * free(last);
}

/// The stores of all tiles of a path but the last, after the first tile's
/// products. Counts no product of the last tile.
Picoseconds PipelineBound::sumStores() const {
  int64_t before = (shape.tiles - 1) / shape.storePaths;
  if (before == 0)
    return 0;
  return getCopy(usual.ring) + usual.latency + stages * usual.ring.math +
         before * (usual.ring.epilogue + usual.drain);
}

Picoseconds PipelineBound::find() const {
  Picoseconds products = std::max({sumProducts(), sumCopies(), sumSlots()});
  return usual.prologue + std::max(products + last.ring.math, sumStores()) +
         last.ring.epilogue + last.drain;
}

Picoseconds boundPipeline(const CtaTimes &times, const PipelineShape &shape) {
  return PipelineBound(times, shape).find();
}

} // namespace tcgemm
