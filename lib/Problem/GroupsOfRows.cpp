//===- GroupsOfRows.cpp - Products of groups of rows ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/GroupsOfRows.h"
#include "tcgemm/Target/Instructions.h"

using namespace tcgemm;

static llvm::Error fail(const std::string &rule) {
  return llvm::createStringError("groups of rows: " + rule);
}

llvm::Error tcgemm::checkGroupsOfRows(MatmulKind kind) {
  if (!kind.aKContiguous)
    return fail("rows of A must be contiguous, as with tn and tt, but the "
                "layout is " +
                kind.getLayout());
  if (!kind.findInstruction(InstructionKind::Wgmma))
    return fail("the types must be those that wgmma multiplies, but are " +
                kind.getOperandTypeText());
  kind.isGrouped = true;
  return kind.checkFeatures();
}
