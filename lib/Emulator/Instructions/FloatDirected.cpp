//===- FloatDirected.cpp - Arithmetic with directed rounding --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the host's arithmetic in the wanted rounding mode, which is set for one
// instruction at a time and only in this thread.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatOps.h"

#include <cfenv>
#include <cmath>

#pragma STDC FENV_ACCESS ON

using namespace tcgemm;
using namespace tcgemm::emu;

uint64_t tcgemm::emu::packFloatModifiers(const FloatModifiers &modifiers) {
  return uint64_t(modifiers.getRounding()) | uint64_t(modifiers.ftz) << 8 |
         uint64_t(modifiers.sat) << 9;
}

namespace {

class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding) : before(std::fegetround()) {
    std::fesetround(rounding == Rounding::TowardZero ? FE_TOWARDZERO
                    : rounding == Rounding::Down     ? FE_DOWNWARD
                    : rounding == Rounding::Up       ? FE_UPWARD
                                                     : FE_TONEAREST);
  }
  ~RoundingScope() { std::fesetround(before); }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;

private:
  int before;
};

template <FloatOperation operation> constexpr unsigned getNumArguments() {
  switch (operation) {
  case FloatOperation::Fma:
    return 3;
  case FloatOperation::Rcp:
  case FloatOperation::Sqrt:
    return 1;
  default:
    return 2;
  }
}

/// Kept out of line so that nothing moves out of the scope of the mode.
template <FloatOperation operation, class T>
__attribute__((noinline)) T compute(T a, T b, T c) {
  if constexpr (operation == FloatOperation::Add)
    return a + b;
  else if constexpr (operation == FloatOperation::Sub)
    return a - b;
  else if constexpr (operation == FloatOperation::Mul)
    return a * b;
  else if constexpr (operation == FloatOperation::Fma)
    return std::fma(a, b, c);
  else if constexpr (operation == FloatOperation::Div)
    return a / b;
  else if constexpr (operation == FloatOperation::Rcp)
    return T(1) / a;
  else
    return std::sqrt(a);
}

template <FloatOperation operation, class T>
Outcome directedOp(Warp &warp, const Instruction &inst) {
  constexpr unsigned kArguments = getNumArguments<operation>();
  bool ftz = inst.imm >> 8 & 1, sat = inst.imm >> 9 & 1;
  T *d = warp.lanes<T>(inst.operands[0]);
  const T *s[3];
  for (unsigned i = 0; i != 3; ++i)
    s[i] = warp.lanes<T>(inst.operands[1 + (i < kArguments ? i : 0)]);
  RoundingScope scope(Rounding(inst.imm & 0xFF));
  forEachLane(warp.exec, [&](unsigned lane) {
    T a = s[0][lane], b = s[1][lane], c = s[2][lane];
    if constexpr (sizeof(T) == 4) {
      if (ftz) {
        a = flushFloat(a);
        b = flushFloat(b);
        c = flushFloat(c);
      }
      T value = canonicalFloat(compute<operation, T>(a, b, c));
      if (ftz && operation == FloatOperation::Mul)
        value = flushProduct(value, compute<operation, T>(a * 0x1p24f, b, c));
      if (ftz && operation == FloatOperation::Fma)
        value = flushProduct(
            value, compute<operation, T>(a * 0x1p24f, b, c * 0x1p24f));
      value = ftz ? flushFloat(value) : value;
      d[lane] = sat ? saturateFloat(value) : value;
    } else {
      T value = compute<operation, T>(a, b, c);
      // Division is a program that prefers the first operand.
      constexpr bool kPrefersSecond =
          kArguments >= 2 && operation != FloatOperation::Div;
      value = kArguments == 3 ? preferNaN(c, value) : value;
      d[lane] = kPrefersSecond ? preferNaN(b, value) : value;
    }
  });
  return Outcome::Next;
}

template <class T> Handler getFor(FloatOperation operation) {
  switch (operation) {
  case FloatOperation::Add:
    return directedOp<FloatOperation::Add, T>;
  case FloatOperation::Sub:
    return directedOp<FloatOperation::Sub, T>;
  case FloatOperation::Mul:
    return directedOp<FloatOperation::Mul, T>;
  case FloatOperation::Fma:
    return directedOp<FloatOperation::Fma, T>;
  case FloatOperation::Div:
    return directedOp<FloatOperation::Div, T>;
  case FloatOperation::Rcp:
    return directedOp<FloatOperation::Rcp, T>;
  case FloatOperation::Sqrt:
    return directedOp<FloatOperation::Sqrt, T>;
  }
  return nullptr;
}

} // namespace

Handler tcgemm::emu::getDirectedOp(FloatOperation operation, bool isDouble) {
  return isDouble ? getFor<double>(operation) : getFor<float>(operation);
}
