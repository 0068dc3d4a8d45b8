//===- Plan.cpp - The plan of mma_sync ------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/StagedPlan.h"
#include "MmaSync/Family.h"

using namespace tcgemm;

void tcgemm::planMmaSync(PlanBuilder &plan) {
  planStaged(plan, buildMmaSyncProgram);
}
