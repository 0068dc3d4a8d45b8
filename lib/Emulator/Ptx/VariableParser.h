//===- VariableParser.h - Parser of variables and parameters ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_VARIABLEPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_VARIABLEPARSER_H

#include "Ptx/DirectiveParser.h"
#include "Ptx/InitializerParser.h"

namespace tcgemm::ptx {

class VariableParser {
public:
  VariableParser(TokenStream &in, SymbolTable &symbols)
      : in(in), symbols(symbols), constants(in), directives(in),
        initializers(in, symbols) {}

  /// Returns whether the current token names a space that variables can be in.
  bool isSpaceWord() const;
  bool parseVariables(bool isExtern);
  /// `(.param .b32 a, .reg .b32 b)`, after the '('.
  bool parseParams(std::vector<Variable> &params, bool isPrototype,
                   bool mayBeUnsized);
  bool parseTypeAndWidth(Type &type, uint8_t &width);

private:
  using Kind = Token::Kind;

  bool parseDeclarator(Declarator &declarator);
  bool parsePointerAttributes();
  bool parseAlign(uint32_t &align);
  bool parseDims(Declarator &declarator);
  bool computeBytes(Declarator &declarator);
  bool declareVariable(Variable &&variable);

  TokenStream &in;
  SymbolTable &symbols;
  ConstantParser constants;
  DirectiveParser directives;
  InitializerParser initializers;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_VARIABLEPARSER_H
