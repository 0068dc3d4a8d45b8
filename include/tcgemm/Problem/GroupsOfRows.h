//===- GroupsOfRows.h - Products of groups of rows --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_GROUPSOFROWS_H
#define TCGEMM_PROBLEM_GROUPSOFROWS_H

#include "tcgemm/Problem/MatmulProblem.h"

namespace tcgemm {

/// Checks that a product of this kind may have groups of rows: the layout of A,
/// the types, and the features that groups exclude. The error names the rule.
llvm::Error checkGroupsOfRows(MatmulKind kind);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_GROUPSOFROWS_H
