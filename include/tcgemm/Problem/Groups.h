//===- Groups.h - Grouped products ------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_GROUPS_H
#define TCGEMM_PROBLEM_GROUPS_H

#include "tcgemm/Problem/MatmulProblem.h"

namespace tcgemm {

/// Checks that a product of this kind may have the groups of its `groupKind`:
/// the layout of A, the types, and the features that groups exclude. The error
/// names the rule.
llvm::Error checkGroups(MatmulKind kind);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_GROUPS_H
