//===- FunctionParser.h - Parser of functions -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_FUNCTIONPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_FUNCTIONPARSER_H

#include "Ptx/BodyParser.h"

namespace tcgemm::ptx {

class FunctionParser {
public:
  FunctionParser(TokenStream &in, SymbolTable &symbols,
                 VariableParser &variables)
      : in(in), symbols(symbols), variables(variables), constants(in),
        directives(in), body(in, symbols, variables) {}

  bool parse(bool isExtern);

private:
  using Kind = Token::Kind;

  bool parseHeader(Function &header);
  bool parseDirective(Function &header);
  /// Directives that only kernels have.
  bool parseKernelDirective(Function &header);
  bool parseThreads(std::array<uint32_t, 3> &counts);
  /// Finds the function among the module's, or adds it.
  bool declareFunction(const Function &header, uint32_t &index);
  /// A parameter in a register is a variable and a register.
  bool declareParams(Function &function);

  TokenStream &in;
  SymbolTable &symbols;
  VariableParser &variables;
  ConstantParser constants;
  DirectiveParser directives;
  BodyParser body;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_FUNCTIONPARSER_H
