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

/// What a name stands for. Names in scopes are as written, those in the syntax
/// tree unique; `name` is the latter.
struct Entity {
  /// Register if `symbol` is None.
  SymbolKind symbol = SymbolKind::None;
  uint8_t width = 1;  ///< Of a register: the count of a `.v4` one's.
  uint32_t index = 0; ///< Of a register: of the first.
  llvm::StringRef name;
};

/// Nested scopes in one table: leaving one puts back what it hid.
class Scopes {
public:
  size_t getDepth() const { return starts.size(); }
  void enter() { starts.push_back(hidden.size()); }
  void leave();

  /// Null if there is none.
  const Entity *find(llvm::StringRef name) const;
  /// Only in the innermost scope.
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
  /// What each declaration in an inner scope replaced.
  std::vector<std::pair<llvm::StringRef, Slot>> hidden;
  std::vector<size_t> starts;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_SCOPES_H
