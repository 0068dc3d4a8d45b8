//===- Copies.h - Copies of operands to shared memory -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H

#include "LoweringContext.h"

namespace tcgemm {

/// The copies of one loader.copy.
class Copies : public Lowering {
public:
  Copies(LoweringContext &c, LoaderCopyOp op);

protected:
  /// Builds the body under the predicate of the last pass, if `copy` belongs to
  /// it and it is partial.
  void buildIfActive(int64_t copy, llvm::function_ref<void()> build);
  void createAsyncCopy(mlir::Value memory, mlir::Value target,
                       mlir::Value source, mlir::Value valid);

  LoaderCopyOp op;
  const LoaderState &loader;
  RingType ring;
  TileType tile;
  int64_t firstCopy, endCopy; // of the thread's, and behind the last
};

/// Copies by all threads of the CTA into the stages of a cp_async ring.
class CpAsyncCopies : public Copies {
public:
  using Copies::Copies;
  void emit();

private:
  void hideFromOptimizer();
  void emitCopy(int64_t copy);
  void copyElement(mlir::Value target, mlir::Value source, mlir::Value valid);
  mlir::Value getValid(int64_t copy);

  mlir::Value memory;
  mlir::Value step;     // i64, elements from the rows of a pass to the next
  mlir::Value kValid;   // i32, elements along k that exist, or null
  mlir::Value rowsLeft; // i32, rows from the thread's first one on, or null
};

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
  int64_t getCopiesPerIteration();
  CopyCursor start();
  CopyCursor emitCopies(CopyCursor cursor, int64_t first, int64_t end);
  void emitVectors(CopyCursor &cursor, int64_t first, int64_t end);
  void emitElements(CopyCursor &cursor, int64_t first, int64_t end);
  CopyCursor emitLoop(CopyCursor cursor, int64_t iterations, int64_t copies);
  mlir::Value createView();
  mlir::Value getTarget(const CopyCursor &cursor, int64_t first, int64_t copy);
  mlir::Value loadIfRowExists(mlir::Value source, mlir::Value rows,
                              int64_t above);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_COPIES_H
