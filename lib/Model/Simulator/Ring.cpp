//===- Ring.cpp - The recurrences of a warp-specialised kernel ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Ring.h"
#include "Simulator/Range.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

Error makeRangeError(std::initializer_list<RangedNumber> numbers) {
  for (const RangedNumber &number : numbers)
    if (!isInRange(number))
      return createStringError(number.name + " = " + Twine(number.value) +
                               ", but it must be " + Twine(number.low) +
                               " to " + Twine(number.high));
  llvm_unreachable("all numbers are in their ranges");
}

Error checkRing(const RingTimes &times, const RingShape &shape) {
  return checkRanges({{"T_A", times.copyA, 0, kMaxRingTime},
                      {"T_B", times.copyB, 0, kMaxRingTime},
                      {"T_MATH", times.math, 0, kMaxRingTime},
                      {"T_EPI", times.epilogue, 0, kMaxRingTime},
                      {"T_INIT", times.init, 0, kMaxRingTime},
                      {"stages", shape.stages, 1, kMaxRingStages},
                      {"depth", shape.depth, 1, kMaxRingDepth},
                      {"copy warps", shape.copyWarps, 1, 2}});
}

/// The starts of the stage that comes after `previous` into a slot that is free
/// at `released`; `previous` is null for the first stage.
static StageStarts startStage(const RingTimes &times, int64_t copyWarps,
                              const StageStarts *previous,
                              Picoseconds released) {
  StageStarts next{released, released, 0};
  if (copyWarps == 1) {
    if (previous)
      next.copyA = std::max(previous->copyB + times.copyB, released);
    next.copyB = std::max(next.copyA + times.copyA, released);
  } else if (previous) {
    next.copyA = std::max(previous->copyA + times.copyA, released);
    next.copyB = std::max(previous->copyB + times.copyB, released);
  }
  next.math = std::max(next.copyA + times.copyA, next.copyB + times.copyB);
  if (previous)
    next.math = std::max(next.math, previous->math + times.math);
  return next;
}

Expected<RingTrace> simulateWave(const RingTimes &times,
                                 const RingShape &shape) {
  if (Error error = checkRing(times, shape))
    return std::move(error);
  RingTrace trace;
  trace.stages.reserve(shape.stages);
  for (int64_t i = 0; i < shape.stages; ++i) {
    Picoseconds released =
        i < shape.depth ? 0 : trace.stages[i - shape.depth].math + times.math;
    const StageStarts *previous = i ? &trace.stages.back() : nullptr;
    StageStarts next = startStage(times, shape.copyWarps, previous, released);
    trace.wait += next.math - (previous ? previous->math + times.math : 0);
    trace.stages.push_back(next);
  }
  trace.mathEnd = trace.stages.back().math + times.math;
  trace.end = trace.mathEnd + times.epilogue;
  return trace;
}

Expected<RingResult> simulateRing(const RingTimes &times,
                                  const RingShape &shape, int64_t waves) {
  Expected<RingTrace> trace = simulateWave(times, shape);
  if (!trace)
    return trace.takeError();
  // The bound is for one wave, so that the product of both fits.
  int64_t most = std::min(kMaxWaves, (INT64_MAX - times.init) /
                                         std::max<Picoseconds>(1, trace->end));
  if (Error error = checkRanges({{"waves", waves, 1, most}}))
    return std::move(error);
  RingResult result;
  result.waves = waves;
  result.wave = trace->end;
  result.total = times.init + waves * trace->end;
  result.wait = waves * trace->wait;
  return result;
}

Picoseconds boundWave(const RingTimes &times, const RingShape &shape) {
  Picoseconds copy = shape.copyWarps == 1 ? times.copyA + times.copyB
                                          : std::max(times.copyA, times.copyB);
  Picoseconds stage = std::max(copy, times.math);
  return copy + (shape.stages - 1) * stage + times.math + times.epilogue;
}

} // namespace tcgemm
