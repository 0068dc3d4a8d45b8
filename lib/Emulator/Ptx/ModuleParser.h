//===- ModuleParser.h - Parser of PTX modules -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser is a recursive descent. Its text may come from anywhere, so
// depths, counts and sizes are bounded (see Limits.h).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_MODULEPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_MODULEPARSER_H

#include "Ptx/FunctionParser.h"

namespace tcgemm::ptx {

class ModuleParser {
public:
  explicit ModuleParser(Module &module)
      : in(module.text), symbols(in, module), constants(in), directives(in),
        variables(in, symbols), functions(in, symbols, variables) {}

  bool parse();
  const std::string &getError() const { return in.getError(); }

private:
  using Kind = Token::Kind;

  bool parseHeader();
  bool parseItem();
  bool parseAlias();

  TokenStream in;
  SymbolTable symbols;
  ConstantParser constants;
  DirectiveParser directives;
  VariableParser variables;
  FunctionParser functions;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_MODULEPARSER_H
