//===- Scopes.h - Scopes of names -------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_SCOPES_H
#define TCGEMM_LIB_EMULATOR_PTX_SCOPES_H

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/DenseMap.h"

namespace tcgemm::ptx {

/// The meaning of a name. A scope has the name of the text; `name` is the
/// unique name in the syntax tree.
struct Entity {
  /// None: a register.
  SymbolKind symbol = SymbolKind::None;
  uint8_t width = 1;  ///< Number of components of a vector register.
  uint32_t index = 0; ///< Index of a vector register's first component.
  llvm::StringRef name;
};

/// Nested scopes in one table. The end of a scope restores the hidden entries.
class Scopes {
public:
  size_t getDepth() const { return starts.size(); }
  void enter() { starts.push_back(hidden.size()); }
  void leave();

  /// Null if there is none.
  const Entity *find(llvm::StringRef name) const;
  /// Searches the innermost scope only.
  const Entity *findHere(llvm::StringRef name) const;
  /// The innermost scope must not have `name` yet.
  void declare(llvm::StringRef name, const Entity &entity);

private:
  struct Slot {
    Entity entity;
    size_t depth = 0;
    bool isSet = false;
  };
  llvm::DenseMap<llvm::StringRef, Slot> slots;
  /// The entries that declarations in inner scopes have replaced.
  std::vector<std::pair<llvm::StringRef, Slot>> hidden;
  std::vector<size_t> starts;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_SCOPES_H
