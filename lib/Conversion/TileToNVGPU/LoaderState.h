//===- LoaderState.h - What a thread knows of its copies --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_LOADERSTATE_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_LOADERSTATE_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// A thread's copies of one operand: what loader.create computed.
struct LoaderState {
  LoaderType type;
  mlir::Value base;        // rank-1 memref in global memory
  mlir::Value stride;      // i64, elements between rows
  mlir::Value origin;      // i32, first row or column of the CTA's tile
  mlir::Value extent;      // i32, rows or columns of the operand
  mlir::Value row, column; // i32, the thread's first element in the tile
  mlir::SmallVector<mlir::Value> shared; // i32 offsets, one per swizzle phase
  mlir::Value active; // i1 of the last pass, where it is partial
  // i32 0 or 1, of swizzle `sectors`: whether the copies of row 0 start in the
  // middle of a sector, and whether those of odd rows differ from it in that.
  mlir::Value startsInSector, alternates;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_LOADERSTATE_H
