//===- CpAsyncCopies.h - Copies by all threads of a CTA ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_CPASYNCCOPIES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_CPASYNCCOPIES_H

#include "Copies.h"

namespace tcgemm {

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

  mlir::Value memory, stageOffset;
  mlir::Value step;     // i64, elements from the rows of a pass to the next
  mlir::Value kValid;   // i32, elements along k that exist, or null
  mlir::Value rowsLeft; // i32, rows from the thread's first one on, or null
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_CPASYNCCOPIES_H
