//===- Clamps.h - Values between two constants ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_MATH_CLAMPS_H
#define TCGEMM_LIB_TRANSFORMS_MATH_CLAMPS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tcgemm {

/// `value`, clamped to `low` and then to `high`, or the other way round.
struct Clamp {
  mlir::Value value;
  float low, high;
};

/// Returns the clamp whose result is `result`: an arith.maximumf and an
/// arith.minimumf of f32 with constants, of which the lower one is `low`.
std::optional<Clamp> findClamp(mlir::Value result);

} // namespace tcgemm

#endif // TCGEMM_LIB_TRANSFORMS_MATH_CLAMPS_H
