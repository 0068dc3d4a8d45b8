//===- ProgramBuilder.h - Writes one tile-level program ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's argument is created at its first use in the body, so that the
// signature has only used arguments. Each argument has its binding, in the
// format of tcgemm.step.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMBUILDER_H
#define TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Support/IntegerBuilder.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/ADT/MapVector.h"

namespace tcgemm {

class ProgramBuilder : public IntegerBuilder {
public:
  /// Starts a program in `module` for `kernel`; the insertion point is its
  /// body.
  ProgramBuilder(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                 llvm::StringRef name, int64_t threads);

  /// Ends the body and fixes the signature.
  ProgramOp finish();
  /// The same, with the hints of `config` to ptxas.
  ProgramOp finish(const KernelConfig &config);

  mlir::ImplicitLocOpBuilder &b() { return *this; }
  KernelOp getKernel() { return kernel; }
  int64_t getThreads() { return program.getThreads(); }

  /// Base of operand `index`, as a rank-1 memref in global memory. Its elements
  /// are those that main programs read, or `element`.
  mlir::Value pointer(unsigned index);
  mlir::Value pointer(unsigned index, mlir::Type element);
  /// The f32 workspace, or a workspace of the kernel's element type.
  mlir::Value workspace(const Expr &offset, mlir::Type elementType);
  /// Value of scalar operand `index`.
  mlir::Value scalar(unsigned index);
  /// The size along a dimension as i32: a constant if it is static.
  mlir::Value size(char dim);
  /// "M", "N" or "K" as i32.
  mlir::Value size(llvm::StringRef symbol);
  /// The number of products: all outer sizes, multiplied, as i32.
  mlir::Value countProducts();
  /// The coordinates, by getOuterDims, of the product with the linear index
  /// `batch`.
  llvm::SmallVector<mlir::Value> splitOuter(mlir::Value batch);
  /// The coordinate along an outer dimension.
  mlir::Value outerCoordinate(char dim, mlir::Value batch);
  /// The same for a linear index of only those outer dimensions that operand
  /// `index` has.
  mlir::Value ownOuterCoordinate(unsigned index, char dim, mlir::Value batch);
  /// The offset of a product in operand `index`, in elements, as i64.
  mlir::Value outerOffset(unsigned index, mlir::Value batch);
  /// The same for a linear index of only those outer dimensions that the
  /// operand has.
  mlir::Value ownOuterOffset(unsigned index, mlir::Value batch);
  /// The depth of the product that main programs compute (getDepth), as i32.
  mlir::Value depth(const KernelConfig &config);
  /// The dims of operand `index` as main programs read it (getTileDims).
  std::string getDims(unsigned index);
  /// Stride of operand `index` along its dimension `dim` in elements, as i64; 0
  /// if there is no such dimension, 1 for the innermost one.
  mlir::Value stride(unsigned index, char dim);
  /// A tensor map for boxes `box` of operand `index`, which has `depth`
  /// elements along k, if any.
  mlir::Value tensorMap(unsigned index, TileType box,
                        unsigned l2Promotion = 128, const Expr &depth = 0);
  /// A tensor map for boxes `box` of A, which is that of a convolution.
  mlir::Value windowMap(TileType box, const TensorMapWindow &window,
                        unsigned l2Promotion);
  /// Any other expression of the manifest as an argument.
  mlir::Value expression(const Expr &value, mlir::Type type);

  /// A sum of instructions as the kernel's sum, which has more bits only where
  /// instructions add in f16.
  mlir::Value extend(mlir::Value acc);
  /// The kernel's sum without the scale that converted operands have
  /// (getProductExponent).
  mlir::Value removeScale(mlir::Value acc);

  /// blockIdx or threadIdx as i32.
  mlir::Value blockId(mlir::gpu::Dimension dimension = mlir::gpu::Dimension::x);
  mlir::Value threadId();
  mlir::Value gridSize();

private:
  std::string getOwnOuterDims(unsigned index);
  llvm::SmallVector<mlir::Value> split(llvm::StringRef dims, mlir::Value index);
  mlir::Value argument(Argument binding, mlir::Type type);
  mlir::Value argument(mlir::Attribute binding, mlir::Type type);

  KernelOp kernel;
  ProgramOp program;
  llvm::MapVector<mlir::Attribute, mlir::Value> arguments;
};

/// The symbol of the stride of the operand `name` along its dimension
/// `position`: `A.stride0`.
Expr getStrideSymbol(llvm::StringRef name, size_t position);
/// The symbol of a dimension of the contraction by its letter: `batch`.
Expr getSizeSymbol(char dim);
/// The sizes of all outer dimensions, multiplied; of those in `dims` only.
Expr getProductCount(KernelOp kernel);
Expr getProductCount(KernelOp kernel, llvm::StringRef dims);

/// The rank-1 memref type of a global-memory operand.
mlir::MemRefType getGlobalType(mlir::Type elementType);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMBUILDER_H
