//===- Plan.cpp - The plan of simt ----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/StagedPlan.h"
#include "Simt/Family.h"

using namespace tcgemm;

void tcgemm::planSimt(PlanBuilder &plan) { planStaged(plan, buildSimtProgram); }
