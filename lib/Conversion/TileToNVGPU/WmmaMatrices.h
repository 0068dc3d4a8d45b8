//===- WmmaMatrices.h - Matrices of wmma in registers -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAMATRICES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAMATRICES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// The type by which wmma.load and wmma.store name the elements of a matrix;
/// none if they cannot. Operands of f32 are multiplied as tf32.
std::optional<mlir::NVVM::MMATypes>
getWmmaElements(mlir::gpu::MMAMatrixType type);

/// Loads a matrix of A or B, whose rows or columns are `pitch` (i32) elements
/// apart. Returns the struct of its registers; null if there is no such
/// instruction.
mlir::Value createWmmaLoad(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::gpu::MMAMatrixType type, WmmaShape shape,
                           mlir::NVVM::MMALayout layout, mlir::Value address,
                           mlir::Value pitch);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WMMAMATRICES_H
