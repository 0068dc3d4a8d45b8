//===- StagedPlan.h - Plans of multistage kernels ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_STAGEDPLAN_H
#define TCGEMM_LIB_SCHEDULES_COMMON_STAGEDPLAN_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// Builds a program with the copies of the configuration.
using ProgramFactory = llvm::function_ref<ProgramOp(const KernelConfig &config,
                                                    llvm::StringRef name)>;

/// Adds the variants of a program whose threads copy A and B to shared memory.
/// `build` creates a program with narrower copies.
void planStaged(PlanBuilder &plan, ProgramOp main, const KernelConfig &c,
                ProgramFactory build);

using ProgramWriter = ProgramOp (*)(KernelOp kernel,
                                    mlir::gpu::GPUModuleOp module,
                                    const KernelConfig &config,
                                    llvm::StringRef name);

/// The same for a schedule whose programs differ in their configuration only.
void planStaged(PlanBuilder &plan, ProgramWriter write);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_STAGEDPLAN_H
