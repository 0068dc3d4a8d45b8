//===- Pipeline.cpp - The events of a wgmma kernel's CTA ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Pipeline.h"
#include "Simulator/Range.h"

#include <algorithm>

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
  if (last)
    next.math = std::max(next.math, last->math + ring.math);
  int64_t tile = stage / shape.ring.stages;
  if (stage % shape.ring.stages == 0 && tile >= shape.consumers)
    next.math = std::max(next.math, trace.epilogues[tile - shape.consumers] +
                                        ring.epilogue);
  return next;
}

Picoseconds Pipeline::startEpilogue(int64_t tile) const {
  Picoseconds start = trace.stages.back().math + times.ring.math;
  if (tile > 0)
    start = std::max(start, trace.epilogues.back() + times.ring.epilogue +
                                times.drain);
  return start;
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

Expected<PipelineTrace> simulatePipeline(const PipelineTimes &times,
                                         const PipelineShape &shape) {
  if (Error error = checkRing(times.ring, shape.ring))
    return std::move(error);
  if (Error error = checkRanges({{"T_LAT", times.latency, 0, kMaxRingTime},
                                 {"T_REL", times.release, 0, kMaxRingTime},
                                 {"T_DRAIN", times.drain, 0, kMaxRingTime},
                                 {"T_PRO", times.prologue, 0, kMaxRingTime},
                                 {"consumers", shape.consumers, 1, 2},
                                 {"tiles of a CTA", shape.tiles, 1,
                                  kMaxRingStages / shape.ring.stages}}))
    return std::move(error);
  return Pipeline(times, shape).run();
}

} // namespace tcgemm
