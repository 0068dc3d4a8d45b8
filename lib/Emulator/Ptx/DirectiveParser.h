//===- DirectiveParser.h - Parser of directives without effect --*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_DIRECTIVEPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_DIRECTIVEPARSER_H

#include "Ptx/ConstantParser.h"

namespace tcgemm::ptx {

/// Reads directives that the emulator ignores.
class DirectiveParser {
public:
  explicit DirectiveParser(TokenStream &in) : in(in), constants(in) {}

  bool parseFile();
  bool parseLoc();
  bool parseSection();
  bool parsePragma();
  /// `.attribute(.managed)`, if it is there.
  bool parseAttributes();

private:
  using Kind = Token::Kind;

  /// `1 2 3`: the file, line and column.
  bool parsePlace();

  TokenStream &in;
  ConstantParser constants;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_DIRECTIVEPARSER_H
