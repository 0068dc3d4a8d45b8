//===- Windows.h - The windows of a convolution -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A of a convolution is never in memory as a whole. TMA copies what the windows
// see to shared memory, or a program writes it to the workspace before the
// product.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_WINDOWS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_WINDOWS_H

#include "Common/ProgramBuilder.h"

namespace tcgemm {

/// Returns whether the operand is what the windows of a convolution see.
inline bool isUnfolded(KernelOp kernel, unsigned operand) {
  return operand == 0 && kernel.getConvolution();
}

/// The window of tensor maps with which TMA copies `depth` elements along k of
/// A at once; none if A is not that of a convolution, or TMA cannot: the copies
/// must not cross from one element of the filter to the next, and strides and
/// filters are limited.
std::optional<TensorMapWindow> findWindow(KernelOp kernel, int64_t depth);

/// The place of a box of A that TMA copies, all i32.
struct WindowPlace {
  mlir::Value column, row, image; ///< Of the first pixel.
};
/// The place of A's row `m`.
WindowPlace locateWindow(ProgramBuilder &p, mlir::Value m);
/// The channel at which a copy starts, and the offsets along W and H to the
/// element of the filter, for the elements from `k` on. Beyond K there are no
/// channels, so that copies give zeros.
struct WindowStep {
  mlir::Value channel;
  llvm::SmallVector<mlir::Value> offsets;
};
WindowStep locateStep(ProgramBuilder &p, mlir::Value k);

/// Writes A to the workspace `kPacked`, row by row. The length of a row is K,
/// rounded up to getPackVector(); the elements beyond K are zero. A thread
/// writes kUnfoldBytes.
inline constexpr int64_t kUnfoldThreads = 256, kUnfoldBytes = 16;
ProgramOp buildUnfoldProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                             const KernelConfig &config, llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_WINDOWS_H
