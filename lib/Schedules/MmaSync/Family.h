//===- Family.h - The programs and the plan of mma_sync ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_MMASYNC_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_MMASYNC_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// The multistage mma.sync program. With `config.splitK` > 1 it stores partial
/// results to the workspace `kPartials` instead of running the epilogue.
ProgramOp buildMmaSyncProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                              const KernelConfig &config, llvm::StringRef name);

/// Builds the programs of a kernel and adds their variants, which run where K
/// is not 0.
void planMmaSync(PlanBuilder &plan);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_MMASYNC_FAMILY_H
