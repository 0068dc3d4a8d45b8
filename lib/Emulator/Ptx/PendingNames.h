//===- PendingNames.h - Names that are declared later -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_PENDINGNAMES_H
#define TCGEMM_LIB_EMULATOR_PTX_PENDINGNAMES_H

#include "Ptx/SymbolTable.h"

namespace tcgemm::ptx {

/// A name that may be declared after its use: a label, mostly.
struct PendingName {
  llvm::StringRef name;
  uint32_t line;
  bool isTable;     ///< The user is a branch table, not an instruction.
  bool isLabel;     ///< Must be a label.
  uint32_t index;   ///< Index of the instruction or table.
  uint32_t element; ///< Index of the operand or target.
};

/// The pending names of each open scope of a function's body.
class PendingNames {
public:
  PendingNames(TokenStream &in, SymbolTable &symbols)
      : in(in), symbols(symbols) {}

  size_t getDepth() const { return scopes.size(); }
  /// Opens a scope, also in the symbol table.
  void enter();
  /// Resolves the names of the innermost scope and closes it. Unresolved names
  /// move to the next scope; without one they are errors.
  bool leave();
  void add(const PendingName &use) { scopes.back().push_back(use); }

private:
  bool resolve();

  TokenStream &in;
  SymbolTable &symbols;
  std::vector<std::vector<PendingName>> scopes;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_PENDINGNAMES_H
