//===- InitializerParser.h - Parser of initial values -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_INITIALIZERPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_INITIALIZERPARSER_H

#include "Ptx/ConstantParser.h"
#include "Ptx/SymbolTable.h"

namespace tcgemm::ptx {

/// A variable that is being declared. The variables of one declaration share
/// its linkage, space and type.
struct Declarator {
  Variable variable;
  unsigned elementBytes = 0; ///< Bytes of the type, or of a vector's element.
  std::vector<uint64_t> dims;
  bool isUnsized = false; ///< The first dimension is `[]`.
};

class InitializerParser {
public:
  InitializerParser(TokenStream &in, SymbolTable &symbols)
      : in(in), symbols(symbols), constants(in) {}

  /// Sets the initial values of the declarator's variable, and the size of an
  /// unsized one.
  bool parse(Declarator &declarator);

private:
  using Kind = Token::Kind;

  /// The place of the next initial value.
  struct Cursor {
    Declarator &declarator;
    uint64_t at = 0; ///< In elements.
  };
  /// The values of `dims[dim]`, in braces.
  bool parseList(Cursor &cursor, size_t dim);
  bool parseValue(Cursor &cursor);
  /// `0xFF00(symbol)`: one byte of the symbol's address.
  bool parseMaskedAddress(Cursor &cursor);
  /// `symbol`, `symbol+4`, `generic(symbol)+4`; inside a mask if `isMasked`.
  bool parseAddress(Cursor &cursor, bool isMasked, unsigned shift);
  bool findAddressee(Variable::Relocation &relocation, uint32_t line);
  bool store(Cursor &cursor, uint64_t bits);
  /// Makes room for the element at the cursor.
  bool grow(Cursor &cursor);
  bool failTooLarge();

  TokenStream &in;
  SymbolTable &symbols;
  ConstantParser constants;
  uint64_t initBytes = 0; ///< Total bytes of the module's initialisers.
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_INITIALIZERPARSER_H
