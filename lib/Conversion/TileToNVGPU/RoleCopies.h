//===- RoleCopies.h - Copies by the threads of a role -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLECOPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLECOPIES_H

#include "Copies.h"

namespace tcgemm {

/// The next copy of a thread: its address in global memory and the distance to
/// the one after (i64), the offset of its stage and pass in shared memory
/// (i32), in elements; the rows of the operand from its own on, and the
/// elements of its vector that exist in each (i32).
struct CopyCursor {
  mlir::Value source, step, target, rows, width;
};

/// Copies by the threads of a role into the stages of an mbarrier ring.
class RoleCopies : public Copies {
public:
  using Copies::Copies;
  void emit();

private:
  /// Returns whether elements pass through registers, one at a time.
  bool passesRegisters();
  int64_t getCopiesPerIteration();
  CopyCursor start();
  CopyCursor emitCopies(CopyCursor cursor, int64_t first, int64_t end);
  void emitVectors(CopyCursor &cursor, int64_t first, int64_t end);
  void emitElements(CopyCursor &cursor, int64_t first, int64_t end);
  CopyCursor emitLoop(CopyCursor cursor, int64_t iterations, int64_t copies);
  int64_t getStageSize();
  mlir::Value createView();
  mlir::Value getTarget(const CopyCursor &cursor, int64_t first, int64_t copy);
  mlir::Value loadIfRowExists(mlir::Value source, mlir::Value rows,
                              int64_t above);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLECOPIES_H
