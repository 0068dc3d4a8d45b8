//===- ElementRegion.h - Scalar functions of operands' elements -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element region computes what is multiplied from an element of A or B. Its
// first argument is that element; a terminator yields the result.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_ELEMENTREGION_H
#define TCGEMM_DIALECT_ELEMENTREGION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace tcgemm {

/// Returns whether operands with elements of `type` in memory may have element
/// regions: f16, bf16, f32 and f64.
bool hasElementRegions(mlir::Type type);

/// Returns whether the body computes one value, and only by scalar operations
/// of arith and math, whose types have at most kMaxScalarBits bits. Otherwise
/// `reason` says what else it has.
bool isScalarBody(mlir::Block &body, std::string &reason);

/// Verifies a region with these arguments that yields one value of the type of
/// the first. `name` is for messages.
mlir::LogicalResult verifyElementRegion(mlir::Operation *op,
                                        mlir::Region &region,
                                        llvm::StringRef name,
                                        mlir::TypeRange arguments);

/// Returns whether the region yields its first argument as it is.
bool isIdentityRegion(mlir::Region &region);

/// Returns whether the body computes two elements of 16 bits in a register as
/// fast as one: it has one argument, and GPUs have its operations for pairs.
bool hasPairs(mlir::Block &body);

/// Copies the operations of the body to the builder's position, with these
/// arguments. Returns the yielded value. Vectors may stand for scalars in all
/// arguments or in none; then other values that the body reads are constants.
mlir::Value inlineElementRegion(mlir::OpBuilder &builder, mlir::Block &body,
                                mlir::ValueRange arguments);

/// Returns whether the result for the element 0 is finite, whatever the other
/// arguments are. False if that is not known.
bool isFiniteAtZero(mlir::Region &region);

} // namespace tcgemm

#endif // TCGEMM_DIALECT_ELEMENTREGION_H
