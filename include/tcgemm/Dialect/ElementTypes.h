//===- ElementTypes.h - MLIR's element types as ScalarType ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_ELEMENTTYPES_H
#define TCGEMM_DIALECT_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "tcgemm/Target/Precision.h"
#include <string>

namespace tcgemm {

/// The name of an element type.
std::string getTypeText(mlir::Type type);
/// The element type as manifests have it, if they have it.
std::optional<ScalarType> getScalarType(mlir::Type type);
/// Inverts getScalarType.
mlir::Type getElementType(ScalarType type, mlir::MLIRContext *context);
/// Returns whether operands of `type` in memory may have another precision than
/// their own, and that is `precision`.
bool hasPrecision(mlir::Type type, Precision precision);
/// The type of such elements in memory. Programs treat all elements of 8 bits,
/// and those that share a byte, as one i8, and tf32 as f32: only the
/// instructions that multiply know their formats.
mlir::Type getStorageType(mlir::Type type);
/// The width of the storage type, in bits. (MLIR says 19 for tf32.)
int64_t getStorageBits(mlir::Type type);
/// The width of one element, in bits: 4 for i4, 1 for ui1.
int64_t getElementBits(mlir::Type type);
/// The elements that share one of storage type: see Target/ScalarType.h. 1 for
/// types that kernels do not have.
int64_t getPackedElements(mlir::Type type);
/// The type that instructions multiply: see Target/ScalarType.h.
mlir::Type getPartType(mlir::Type type);
/// The element type of the buffers that a kernel reads as `type`: i8 for ui8,
/// i4 for ui4, i1 for ui1, f32 for tf32, and `type` for all others.
mlir::Type getBufferType(mlir::Type type);
/// The type of A's or B's elements if their buffer has `type`: ui1 for i1, and
/// `type` for all others, whose signs the product decides.
std::optional<ScalarType> getMatrixScalar(mlir::Type type);

} // namespace tcgemm

#endif // TCGEMM_DIALECT_ELEMENTTYPES_H
