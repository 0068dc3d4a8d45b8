//===- RaiseShapes.h - Shapes as kernels have them --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISESHAPES_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISESHAPES_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// The tensor or buffer with joined dimensions.
mlir::Value foldDims(mlir::OpBuilder &builder, const Group &group,
                     mlir::Value value, llvm::StringRef dims);

/// Converts what a launch gives to a tensor of `type` with the dims `dims`.
mlir::Value unfoldDims(mlir::OpBuilder &builder, const Group &group,
                       mlir::Value value, mlir::RankedTensorType type,
                       llvm::StringRef dims);

/// Images as a matrix with a row for each pixel.
mlir::Value collapsePixels(mlir::OpBuilder &builder, mlir::Value images);

/// Numbers with components as a matrix, whose columns are the components.
mlir::Value collapseComponents(mlir::OpBuilder &builder, mlir::Value numbers);

/// An empty tensor with the dimensions of `value`, whose dims are `dims`, in
/// the order `stored`.
mlir::Value createReordered(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, llvm::StringRef dims,
                            llvm::StringRef stored);

/// Adds dimensions of size 1 with the letters `units`, as a kernel needs
/// matrices: one to a vector, two to the numbers of a batch or to a single one.
mlir::Value addUnits(mlir::OpBuilder &builder, mlir::Value value,
                     std::string &dims, llvm::StringRef units);

/// The type of elements of A (0) or B (1) in the kernel, with their sign and
/// precision.
mlir::Type getMatrixType(const Group &group, unsigned operand);

/// Returns true if the caller allows to overwrite the tensor `value`.
bool isWritableArgument(mlir::Value value);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISESHAPES_H
