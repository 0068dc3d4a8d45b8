//===- Plans.h - Prints the launches of problems ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_PLANS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_PLANS_H

#include "SessionContext.h"

namespace tcgemm {

/// Prints the launches of all problems, without a device. Returns an exit code.
int printPlans(const SessionContext &context);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_PLANS_H
