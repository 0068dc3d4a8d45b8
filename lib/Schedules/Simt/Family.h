//===- Family.h - The programs and the plan of simt -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_SIMT_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_SIMT_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// The multistage program whose threads multiply without tensor cores.
ProgramOp buildSimtProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                           const KernelConfig &config, llvm::StringRef name);

/// Builds the programs of a kernel and adds their variants, which run where K
/// is not 0.
void planSimt(PlanBuilder &plan);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_SIMT_FAMILY_H
