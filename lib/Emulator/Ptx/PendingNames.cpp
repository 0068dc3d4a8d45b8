//===- PendingNames.cpp - Names that are declared later -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/PendingNames.h"

using namespace tcgemm::ptx;

void PendingNames::enter() {
  symbols.enterScope();
  scopes.emplace_back();
}

bool PendingNames::leave() {
  if (resolve())
    return true;
  symbols.leaveScope();
  scopes.pop_back();
  return false;
}

bool PendingNames::resolve() {
  std::vector<PendingName> *outer =
      scopes.size() > 1 ? &scopes[scopes.size() - 2] : nullptr;
  for (const PendingName &use : scopes.back()) {
    const Entity *entity = symbols.findHere(use.name);
    bool isLabel = entity && entity->symbol == SymbolKind::Label;
    bool isFound = isLabel || (entity && !use.isLabel &&
                               entity->symbol == SymbolKind::Table);
    if (!isFound && outer) {
      outer->push_back(use);
    } else if (!isFound) {
      return in.fail((use.isLabel ? "the label '" : "'") + use.name +
                         "' is not declared",
                     use.line);
    } else if (use.isTable) {
      BranchTable &table = symbols.function().branchTables[use.index];
      table.targets[use.element] = entity->name;
      table.indices[use.element] = entity->index;
    } else {
      Operand &operand =
          symbols.function().instructions[use.index].operands[use.element];
      operand.symbol = entity->symbol;
      operand.index = entity->index;
      operand.name = entity->name;
    }
  }
  return false;
}
