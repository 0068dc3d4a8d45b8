//===- TokenStream.h - Tokens and errors of the parser ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in LLVM's parsers, the functions that return a bool return true after an
// error. They have set the error's text by then.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_TOKENSTREAM_H
#define TCGEMM_LIB_EMULATOR_PTX_TOKENSTREAM_H

#include "Ptx/Lexer.h"

#include "llvm/ADT/Twine.h"

namespace tcgemm::ptx {

/// The tokens of a module, the first error, and the count of nodes.
class TokenStream {
public:
  explicit TokenStream(llvm::StringRef text) : lexer(text) { advance(); }

  const Token &token() const { return current; }
  void advance() { current = lexer.next(); }
  /// The token after the current one.
  Token peek() const { return Lexer(lexer).next(); }

  /// Sets the error `what` at `line`, or at the current token's line if `line`
  /// is 0. Returns true.
  bool fail(const llvm::Twine &what, uint32_t line = 0);
  /// "expected `what`, found …".
  bool failExpected(const llvm::Twine &what);
  const std::string &getError() const { return error; }

  bool consume(llvm::StringRef op);
  bool consumeWord(llvm::StringRef dotWord);
  /// As in "expected ';' after operands".
  bool expect(llvm::StringRef op, const llvm::Twine &where);
  bool parseName(llvm::StringRef &name, const llvm::Twine &what);

  /// Counts nodes, which take memory.
  bool spend(uint64_t nodes);

private:
  using Kind = Token::Kind;

  Lexer lexer;
  Token current;
  std::string error;
  uint64_t nodes = 0;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_TOKENSTREAM_H
