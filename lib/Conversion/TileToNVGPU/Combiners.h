//===- Combiners.h - Combinations of values of a reduction ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H

#include "tcgemm/Support/IntegerBuilder.h"
#include "tcgemm/Target/Reduction.h"

namespace tcgemm {

/// The value of `type` that changes no other one.
mlir::Value createNeutral(IntegerBuilder &b, Combiner combiner,
                          mlir::Type type);
mlir::Value createCombination(IntegerBuilder &b, Combiner combiner,
                              mlir::Value x, mlir::Value y);
/// Combines at least one value, as a balanced tree.
mlir::Value createCombination(IntegerBuilder &b, Combiner combiner,
                              llvm::SmallVector<mlir::Value> values);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H
