//===- MathPatterns.h - Scalar functions without libdevice ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_MATH_MATHPATTERNS_H
#define TCGEMM_LIB_TRANSFORMS_MATH_MATHPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace tcgemm {

/// Creates PTX that only computes a value of type `type`.
mlir::Value createAsm(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::ValueRange operands,
                      const llvm::Twine &text, llvm::StringRef constraints);

/// Returns whether `type` is f8E4M3FN or f8E5M2.
bool isFP8(mlir::Type type);

/// Converts from and to FP8 by instructions of compute capability 89.
void populateFP8Patterns(mlir::RewritePatternSet &patterns);

/// Rounds clamped f32 to integers of at most 16 bits without conversions.
void populateNarrowIntegerPatterns(mlir::RewritePatternSet &patterns);

/// Computes float operations on f16, bf16 and FP8 in f32.
void populateWidenPatterns(mlir::RewritePatternSet &patterns);

/// tcgemm's f32 functions: exp and exp2 over the whole range, and functions for
/// which upstream has no approximation.
void populateMathPatterns(mlir::RewritePatternSet &patterns);

/// Patterns for expressions of several operations whose results are rounded to
/// 16 bits: sigmoids. They must be applied before all others, which rewrite the
/// parts of these expressions.
void populateMathFusionPatterns(mlir::RewritePatternSet &patterns);

/// Patterns for expressions of several operations with few approximate
/// instructions: sigmoids. They must be applied before the patterns below,
/// which rewrite the parts of these expressions.
void populateApproxMathFusionPatterns(mlir::RewritePatternSet &patterns);

/// The GPU's approximate instructions, preferred over everything else.
void populateApproxMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace tcgemm

#endif // TCGEMM_LIB_TRANSFORMS_MATH_MATHPATTERNS_H
