//===- Family.h - The programs and the plan of wgmma ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// The warp-specialised wgmma program. cp.async copies the operands in `copied`
/// (0 is A), TMA copies the others: with `windows`, A as the windows of a
/// convolution. With `config.splitK` > 1 it stores partial results.
ProgramOp buildWgmmaProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                            const KernelConfig &config,
                            llvm::ArrayRef<unsigned> copied, bool windows,
                            llvm::StringRef name);

/// Builds the programs of a kernel and adds their variants, which run where K
/// is not 0.
void planWgmma(PlanBuilder &plan);
/// The same where K is 0, if it may be.
void planEmptyWgmma(PlanBuilder &plan);
/// The CTAs of a launch.
Expr getWgmmaGrid(KernelOp kernel, const KernelConfig &config);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_FAMILY_H
