//===- Plans.h - The plan of each schedule ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_PLANS_H
#define TCGEMM_LIB_TRANSFORMS_PLANS_H

#include "PlanBuilder.h"

namespace tcgemm {

// Each builds the programs of one schedule and adds their variants, which run
// where K is not 0.
void planMmaSync(PlanBuilder &plan);
void planSimt(PlanBuilder &plan);
void planWmma(PlanBuilder &plan);
void planWgmma(PlanBuilder &plan);
void planGemv(PlanBuilder &plan);

/// Builds a program that copies as the configuration has it.
using ProgramFactory = llvm::function_ref<ProgramOp(const KernelConfig &config,
                                                    llvm::StringRef name)>;

/// Adds the variants of a program whose threads copy A and B to shared memory.
/// `build` makes a program of narrower copies.
void planStaged(PlanBuilder &plan, ProgramOp main, const KernelConfig &c,
                ProgramFactory build);

} // namespace tcgemm

#endif // TCGEMM_LIB_TRANSFORMS_PLANS_H
