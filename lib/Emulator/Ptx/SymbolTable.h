//===- SymbolTable.h - Names of a module and its functions ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_SYMBOLTABLE_H
#define TCGEMM_LIB_EMULATOR_PTX_SYMBOLTABLE_H

#include "Ptx/Scopes.h"
#include "Ptx/TokenStream.h"

namespace tcgemm::ptx {

/// Declares names in the module or in the current function.
class SymbolTable {
public:
  SymbolTable(TokenStream &in, Module &module) : module(module), in(in) {}

  /// Names are declared in `function` until leaveFunction().
  void enterFunction(Function &function);
  void leaveFunction() { current = nullptr; }
  bool isInFunction() const { return current != nullptr; }
  Function &function() { return *current; }

  void enterScope() { scopes.enter(); }
  void leaveScope() { scopes.leave(); }

  const Entity *find(llvm::StringRef name) const { return scopes.find(name); }
  const Entity *findHere(llvm::StringRef name) const {
    return scopes.findHere(name);
  }
  /// Declares `name`. In a function the entity gets a unique name, unless it
  /// has a name already.
  bool declare(llvm::StringRef name, Entity &entity, uint32_t line);
  /// Declares a parameter or result. It keeps its name even if it hides a name
  /// of the module.
  bool declareParam(llvm::StringRef name, Entity &entity, uint32_t line);
  /// The module owns the text.
  llvm::StringRef keep(std::string name);

  bool addRegister(Type type, unsigned width, llvm::StringRef name,
                   uint32_t line);
  /// `%r<13>` is `%r0` to `%r12`.
  bool addRegisters(Type type, unsigned width, llvm::StringRef name,
                    uint64_t count, uint32_t line);

  Module &module;

private:
  llvm::StringRef makeUnique(llvm::StringRef name);

  TokenStream &in;
  Scopes scopes;
  Function *current = nullptr; ///< Null outside of functions.
  /// How often the current function has declared each name.
  llvm::DenseMap<llvm::StringRef, unsigned> uses;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_SYMBOLTABLE_H
