//===- Family.h - The programs and the plan of gemv -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_GEMV_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_GEMV_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// How a program reads operands that are not contiguous along k.
enum class GemvReading {
  /// The small operand element by element, the large one by the loads of the
  /// configuration.
  Loads,
  /// The same, but the small operand has one row, whose elements are
  /// neighbours: it is read as one that is contiguous along k.
  OneRow,
  /// Both element by element, with any strides.
  Elements,
};

/// The program whose warps multiply few rows by many directly from global
/// memory.
ProgramOp buildGemvProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                           const KernelConfig &config, GemvReading reading,
                           llvm::StringRef name);

/// Builds the programs of a kernel and adds their variants, which run where K
/// is not 0.
void planGemv(PlanBuilder &plan);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_GEMV_FAMILY_H
