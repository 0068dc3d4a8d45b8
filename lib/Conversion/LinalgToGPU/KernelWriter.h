//===- KernelWriter.h - Pieces of kernels for linalg operations -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion of linalg on buffers to gpu.launch. Each kind of
// kernel has a separate file. This file has their common parts: launches with a
// one-dimensional grid, and the load, compute and store of one loop iteration.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_LINALGTOGPU_KERNELWRITER_H
#define TCGEMM_LIB_CONVERSION_LINALGTOGPU_KERNELWRITER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tcgemm::linalg_to_gpu {

/// Threads of a block.
inline constexpr int64_t kBlockThreads = 256;
inline constexpr int64_t kWarpThreads = 32;

/// A launch with an incomplete body.
struct Kernel {
  mlir::gpu::LaunchOp launch;
  /// Index values of the body: the index of the block, the number of blocks,
  /// and the index of the thread in its block.
  mlir::Value block, numBlocks, thread;
};

/// Creates a launch of `work` blocks, or fewer if that exceeds the limit of the
/// grid: the body must loop over the work from `block` in steps of `numBlocks`.
/// Sets the builder to the start of the body. The launch is skipped at run time
/// if there is no work.
Kernel createKernel(mlir::ImplicitLocOpBuilder &builder, mlir::Value work,
                    int64_t threads = kBlockThreads);

/// Adds an array of shared memory to the blocks of the kernel.
mlir::Value addSharedMemory(Kernel &kernel, llvm::ArrayRef<int64_t> shape,
                            mlir::Type element);

mlir::Value getIndex(mlir::ImplicitLocOpBuilder &builder, int64_t value);

/// The product of index values; 1 for none.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange factors);

/// The coordinates of element `linear` of an array with these extents; the last
/// coordinate varies fastest.
llvm::SmallVector<mlir::Value> delinearize(mlir::ImplicitLocOpBuilder &builder,
                                           mlir::Value linear,
                                           mlir::ValueRange extents);

/// The extents of all loops of a linalg operation on buffers.
llvm::SmallVector<mlir::Value> getExtents(mlir::ImplicitLocOpBuilder &builder,
                                          mlir::linalg::LinalgOp op);

/// The element of an operand at iteration `ivs`, or the operand itself if it is
/// not a buffer.
mlir::Value loadOperand(mlir::ImplicitLocOpBuilder &builder,
                        mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                        mlir::ValueRange ivs);

/// The elements of all operands whose values the body of the operation uses;
/// null for the others.
llvm::SmallVector<mlir::Value> loadOperands(mlir::ImplicitLocOpBuilder &builder,
                                            mlir::linalg::LinalgOp op,
                                            mlir::ValueRange ivs);

/// Clones the body for one iteration. `elements` has one value for each
/// operand, null if the body does not use it. Returns one value for each
/// output.
llvm::SmallVector<mlir::Value> cloneBody(mlir::ImplicitLocOpBuilder &builder,
                                         mlir::linalg::LinalgOp op,
                                         mlir::ValueRange ivs,
                                         mlir::ValueRange elements);

/// Stores one value per output at the iteration `ivs`.
void storeResults(mlir::ImplicitLocOpBuilder &builder,
                  mlir::linalg::LinalgOp op, mlir::ValueRange ivs,
                  mlir::ValueRange values);

/// Writes the kernel of one operation: one thread for each element of the
/// outputs, which executes the other loops in their order. Supports any
/// operation whose loops are static or dynamic ranges.
void writeElementKernel(mlir::linalg::LinalgOp op);

/// Writes the same, and ahead of it, for elementwise operations of 16-bit
/// floats whose rows are whole vectors, a kernel with a thread for each vector.
/// It runs where the buffers are aligned.
void writeVectorKernel(mlir::linalg::LinalgOp op);

/// Writes the kernel of an elementwise operation with transposed operands,
/// which it reads as tiles through shared memory. Returns false and writes
/// nothing for other operations.
bool writeTransposeKernel(mlir::linalg::LinalgOp op);

/// Writes kernels for consecutive operations of a block, without other accesses
/// of memory between them. Operations on the same rows become one kernel if one
/// of them reduces rows: a warp or a block computes each row.
void writeKernels(llvm::ArrayRef<mlir::linalg::LinalgOp> ops);

} // namespace tcgemm::linalg_to_gpu

#endif // TCGEMM_LIB_CONVERSION_LINALGTOGPU_KERNELWRITER_H
