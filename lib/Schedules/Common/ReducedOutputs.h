//===- ReducedOutputs.h - Outputs that are reductions -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogues of a variant store partial results of a reduction in the
// workspace, each of them to a slot of its own. A last program combines the
// slots in a fixed order. So no memory is cleared before a launch, and the
// results are the same in every run.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_REDUCEDOUTPUTS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_REDUCEDOUTPUTS_H

#include "Common/ProgramBuilder.h"
#include "tcgemm/Config/KernelConfig.h"

namespace tcgemm {

/// An output with a reduction.
struct ReducedOutput {
  unsigned index;   ///< The number of the kernel's operand.
  std::string name; ///< `out1`.
  OperandAttr info;
  ReductionAttr reduction;
  std::string dim;  ///< m or n; empty if it has neither dimension.
  mlir::Type state; ///< That of the partial results.

  bool hasBatch() const { return info.getDims().contains('b'); }
  /// The offset of the partial results in the workspace, and the number of
  /// slots, which each variant binds.
  Expr getPartialsSymbol() const { return Expr::symbol("partials_" + name); }
  Expr getSlotsSymbol() const { return Expr::symbol("slots_" + name); }
  mlir::Value getPartials(ProgramBuilder &p) const;
  /// The results of a batch, which are the elements of a slot (i64).
  mlir::Value getLength(ProgramBuilder &p) const;

  /// The slots that the epilogues of `program` fill.
  Expr countSlots(ProgramOp program) const;
  /// The bytes of `slots` slots.
  Expr getBytes(const Expr &slots) const;
  /// The blocks of the program that combines them.
  Expr countBlocks() const;
};
llvm::SmallVector<ReducedOutput> getReducedOutputs(KernelOp kernel);

/// Combines the slots of `output`. A block computes kCombineLanes neighbouring
/// results, or the only one of a batch.
inline constexpr int64_t kCombineLanes = 32;
ProgramOp buildCombineProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                              const KernelConfig &config, llvm::StringRef name,
                              const ReducedOutput &output);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_REDUCEDOUTPUTS_H
