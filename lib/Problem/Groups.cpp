//===- Groups.cpp - Grouped products --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/Groups.h"
#include "tcgemm/Target/Instructions.h"

using namespace tcgemm;

static llvm::Error fail(const MatmulKind &kind, const std::string &rule) {
  return llvm::createStringError(
      (kind.hasGroupsOfRows() ? "groups of rows: " : "groups along k: ") +
      rule);
}

llvm::Error tcgemm::checkGroups(MatmulKind kind) {
  kind.isGrouped = true;
  if (kind.hasGroupsOfRows() && !kind.aKContiguous)
    return fail(kind, "rows of A must be contiguous, as with tn and tt, but "
                      "the layout is " +
                          kind.getLayout());
  if (!kind.findInstruction(InstructionKind::Wgmma))
    return fail(kind,
                "the types must be those that wgmma multiplies, but are " +
                    kind.getOperandTypeText());
  // A group may end inside of a byte.
  if (kind.hasGroupsAlongK() &&
      (getPackedElements(kind.typeA) > 1 || getPackedElements(kind.typeB) > 1))
    return fail(kind, "the elements must have 8 bits or more, but the types "
                      "are " +
                          kind.getOperandTypeText());
  return kind.checkFeatures();
}
