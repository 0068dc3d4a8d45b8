//===- BodyParser.h - Parser of function bodies -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_BODYPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_BODYPARSER_H

#include "Ptx/OperandParser.h"
#include "Ptx/VariableParser.h"

namespace tcgemm::ptx {

class BodyParser {
public:
  BodyParser(TokenStream &in, SymbolTable &symbols, VariableParser &variables)
      : in(in), symbols(symbols), variables(variables), constants(in),
        directives(in), pending(in, symbols), operands(in, symbols, pending) {}

  /// Opens the function's scope. Its parameters are to be declared next.
  void enter() { pending.enter(); }
  /// Reads the body after the '{', and closes the function's scope.
  bool parse();

private:
  using Kind = Token::Kind;

  bool parseStatement();
  bool parseRegisters();
  bool parseLabel(llvm::StringRef name, uint32_t line);
  bool parseGuard(std::optional<Guard> &guard);
  bool parseInstruction(std::optional<Guard> guard, const Token &opcode);
  /// `L: .branchtargets …;` and the like, after the ':'.
  bool parseBranchTable(llvm::StringRef name, uint32_t line);
  bool parseTargets(BranchTable &table, uint32_t index);
  bool parsePrototype(BranchTable &table);

  TokenStream &in;
  SymbolTable &symbols;
  VariableParser &variables;
  ConstantParser constants;
  DirectiveParser directives;
  PendingNames pending;
  OperandParser operands;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_BODYPARSER_H
