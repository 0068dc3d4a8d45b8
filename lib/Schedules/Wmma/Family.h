//===- Family.h - The programs and the plan of wmma -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WMMA_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_WMMA_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// The wmma program. A and B are copied through shared memory by cp.async or,
/// depending on `config`, loaded directly to fragments. Direct loads need bases
/// and rows aligned to 32 bytes, K a multiple of the tile's and the side a
/// multiple of the instruction's.
ProgramOp buildWmmaProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                           const KernelConfig &config, llvm::StringRef name);

/// Builds the programs of a kernel and adds their variants, which run where K
/// is not 0.
void planWmma(PlanBuilder &plan);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WMMA_FAMILY_H
