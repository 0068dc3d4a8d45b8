//===- Lexer.h - Tokens of PTX ----------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_LEXER_H
#define TCGEMM_LIB_EMULATOR_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tcgemm::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, ///< `add`, `%r1`, `$L__BB0_1`, `_`.
    DotWord,    ///< `.visible`, `.shared::cta`: `text` has no dot.
    Number,     ///< The text: `12`, `0x1FU`, `0f3F800000`, `9.0`.
    String,     ///< `text` has no quotes; it keeps the escapes.
    Operator,   ///< One character, or two of `<<`, `==`, …
    Invalid,    ///< `text` is the error.
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  uint32_t line = 1;

  bool is(Kind wanted) const { return kind == wanted; }
  bool isOperator(llvm::StringRef spelling) const {
    return kind == Kind::Operator && text == spelling;
  }
  bool isDotWord(llvm::StringRef word) const {
    return kind == Kind::DotWord && text == word;
  }
};

/// Splits a text into tokens. A copy is cheap, so the parser can look ahead.
class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) {}

  Token next();

private:
  /// False if a comment does not end.
  bool skipSpace();
  Token take(Token::Kind kind, size_t length);
  Token invalid(llvm::StringRef why);
  bool isFraction() const;
  Token lexNumber();
  Token lexString();
  Token lexDotWord();

  char at(size_t ahead) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  llvm::StringRef text;
  size_t position = 0;
  uint32_t line = 1;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_LEXER_H
