//===- LaneOps.h - Operations on 32 lanes -----------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes handlers from functors for one lane:
//
//   template <class T> struct Add {
//     T operator()(T a, T b) const { return a + b; }
//   };
//   d.code->run = getLaneOp<Add<uint32_t>>();
//
// The types of the result and the arguments are those of the registers. The
// functor must have a result for all values, as it is also evaluated for lanes
// that do not execute. One that needs more of the instruction than its operands
// has a constructor that takes the instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_LANEOPS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_LANEOPS_H

#include "Machine/Warp.h"

#include <type_traits>
#include <utility>

// Loops over lanes ask to be vectorised; divisions and their like are not.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"

namespace tcgemm::emu {

#define TCGEMM_INLINE __attribute__((always_inline)) inline

/// Returns whether the host has AVX2, FMA and their contemporaries.
bool hasVectorExtensions();

template <class Fn> struct Signature;
template <class Op, class D, class... S>
struct Signature<D (Op::*)(S...) const> {
  using Result = D;
  template <template <class, class...> class To> using Apply = To<D, S...>;
};

template <class Op> TCGEMM_INLINE Op makeOp(const Instruction &inst) {
  if constexpr (std::is_constructible_v<Op, const Instruction &>)
    return Op(inst);
  else
    return Op();
}

/// The slots of a frame are aligned and either the same or apart, so lanes do
/// not depend on each other.
template <class Op, class D, class... S>
TCGEMM_INLINE void applyToLanes(Op op, uint32_t exec, D *d, const S *...s) {
  if (exec == UINT32_MAX) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned lane = 0; lane != kWarpSize; ++lane)
      d[lane] = op(s[lane]...);
    return;
  }
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    D old = d[lane];
    D value = op(s[lane]...);
    d[lane] = exec & (1u << lane) ? value : old;
  }
}

template <class D, class... S> struct LaneRunner {
  template <class Op, size_t... I>
  static TCGEMM_INLINE void run(Warp &warp, const Instruction &inst,
                                std::index_sequence<I...>) {
    applyToLanes(makeOp<Op>(inst), warp.exec, warp.lanes<D>(inst.operands[0]),
                 (const S *)warp.lanes<S>(inst.operands[I + 1])...);
  }
  template <class Op>
  static TCGEMM_INLINE void run(Warp &warp, const Instruction &inst) {
    run<Op>(warp, inst, std::make_index_sequence<sizeof...(S)>());
  }
  /// For functors that are slow or cannot be vectorised.
  template <class Op, size_t... I>
  static TCGEMM_INLINE void runSlowly(Warp &warp, const Instruction &inst,
                                      std::index_sequence<I...>) {
    Op op = makeOp<Op>(inst);
    D *d = warp.lanes<D>(inst.operands[0]);
    forEachLane(warp.exec, [&](unsigned lane) {
      d[lane] = op(warp.lanes<S>(inst.operands[I + 1])[lane]...);
    });
  }
  template <class Op>
  static TCGEMM_INLINE void runSlowly(Warp &warp, const Instruction &inst) {
    runSlowly<Op>(warp, inst, std::make_index_sequence<sizeof...(S)>());
  }
};

template <class Op>
using RunnerOf =
    typename Signature<decltype(&Op::operator())>::template Apply<LaneRunner>;

/// `flatten`, as a call that is left keeps a loop from being vectorised.
template <class Op>
__attribute__((flatten)) Outcome laneOp(Warp &warp, const Instruction &inst) {
  RunnerOf<Op>::template run<Op>(warp, inst);
  return Outcome::Next;
}

#if defined(__x86_64__)
/// The same code for hosts that have more than the least x86-64.
template <class Op>
__attribute__((flatten, target("arch=x86-64-v3"))) Outcome
wideLaneOp(Warp &warp, const Instruction &inst) {
  RunnerOf<Op>::template run<Op>(warp, inst);
  return Outcome::Next;
}

template <class Op> Handler getLaneOp() {
  return hasVectorExtensions() ? wideLaneOp<Op> : laneOp<Op>;
}
#else
template <class Op> Handler getLaneOp() { return laneOp<Op>; }
#endif

template <class Op> Outcome slowLaneOp(Warp &warp, const Instruction &inst) {
  RunnerOf<Op>::template runSlowly<Op>(warp, inst);
  return Outcome::Next;
}

/// For functors that call library functions or have loops.
template <class Op> Handler getSlowLaneOp() { return slowLaneOp<Op>; }

} // namespace tcgemm::emu

#pragma clang diagnostic pop

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_LANEOPS_H
