//===- Ring.h - The recurrences of a warp-specialised kernel ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of "A Performance Model for Warp Specialization Kernels" (Z. Liu
// and V. Grover): copy warps fill a ring of D slots with tiles of A and B, and
// one MATH warp at a time multiplies them. A tile of the result takes
// S = ceil(K / TK) stages. Stage i, counted from 1, starts at
//
//   (1) Sa(i) = max(Sb(i-1) + T_B, Sm(i-D) + T_MATH)     copy of A
//   (2) Sb(i) = max(Sa(i)   + T_A, Sm(i-D) + T_MATH)     copy of B
//   (3) Sm(i) = max(Sm(i-1) + T_MATH, Sb(i) + T_B)       product
//
// A term whose index is below 1 is absent, and Sa(1) = 0. With two copy warps,
// one for each operand, the copies do not wait for each other:
//
//   Sa(i) = max(Sa(i-1) + T_A, Sm(i-D) + T_MATH)
//   Sb(i) = max(Sb(i-1) + T_B, Sm(i-D) + T_MATH)
//   Sm(i) = max(Sm(i-1) + T_MATH, Sa(i) + T_A, Sb(i) + T_B)
//
// The paper's end of a wave, Sm(S) + T_EPI, leaves out the last product. Its
// measured times contain it, and so does this model:
//
//   wave = Sm(S) + T_MATH + T_EPI,   total = T_INIT + W * wave
//
// with W = ceil(tiles / SMs). The wait of the MATH warps is W times the sum of
// Wait(1) = Sm(1) and Wait(i) = Sm(i) - Sm(i-1) - T_MATH.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_RING_H
#define TCGEMM_MODEL_RING_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace tcgemm {

/// Times are whole picoseconds, so that simulator, solver and tests agree
/// exactly.
using Picoseconds = int64_t;

/// The largest times and counts of the simulator: their sums and products fit
/// into 64 bits.
constexpr Picoseconds kMaxRingTime = Picoseconds(1) << 36; // 69 ms
constexpr int64_t kMaxRingStages = int64_t(1) << 20;
constexpr int64_t kMaxRingDepth = 64;
constexpr int64_t kMaxWaves = int64_t(1) << 32;

/// The constant times of a kernel.
struct RingTimes {
  Picoseconds copyA = 0;    ///< T_A: a stage's tile of A.
  Picoseconds copyB = 0;    ///< T_B: a stage's tile of B.
  Picoseconds math = 0;     ///< T_MATH: a stage's product.
  Picoseconds epilogue = 0; ///< T_EPI: a tile of the result.
  Picoseconds init = 0;     ///< T_INIT: the launch.
};

/// The form of the ring.
struct RingShape {
  int64_t stages = 1;    ///< S: 1 to kMaxRingStages.
  int64_t depth = 2;     ///< D: 1 to kMaxRingDepth.
  int64_t copyWarps = 1; ///< 1, or 2: one for each operand.
};

/// When a stage's copies and its product start, from the start of the wave.
struct StageStarts {
  Picoseconds copyA, copyB, math;
};

/// All events of a wave.
struct RingTrace {
  std::vector<StageStarts> stages;
  Picoseconds mathEnd = 0; ///< The end of the last product.
  Picoseconds end = 0;     ///< The end of the epilogue.
  Picoseconds wait = 0;    ///< The MATH warps' waiting in the wave.
};

/// A kernel: waves of the same length.
struct RingResult {
  int64_t waves = 1;
  Picoseconds wave = 0;  ///< One wave, with its epilogue.
  Picoseconds total = 0; ///< T_INIT and all waves.
  Picoseconds wait = 0;  ///< The wait of the MATH warps in all waves.
};

/// Computes every event of a wave. Errors: a time or count that is outside the
/// limits above.
llvm::Expected<RingTrace> simulateWave(const RingTimes &times,
                                       const RingShape &shape);

/// Computes the times of a kernel of `waves` waves. Errors: as simulateWave.
llvm::Expected<RingResult> simulateRing(const RingTimes &times,
                                        const RingShape &shape, int64_t waves);

/// A wave is at least as long as the copies of all stages and one product, and
/// as the first copies and all products. With two slots or more it is as long
/// as the longer of them.
Picoseconds boundWave(const RingTimes &times, const RingShape &shape);

} // namespace tcgemm

#endif // TCGEMM_MODEL_RING_H
