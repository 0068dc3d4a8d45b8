//===- Lexer.cpp - Tokens of PTX ------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

/// Returns whether `c` may follow the first letter of an identifier.
static bool isFollower(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

/// Unlike std::isspace, this does not depend on the locale.
static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool Lexer::skipSpace() {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      ++line;
      ++position;
    } else if (isBlank(c)) {
      ++position;
    } else if (c == '/' && at(1) == '/') {
      position = std::min(text.find('\n', position), text.size());
    } else if (c == '/' && at(1) == '*') {
      size_t end = text.find("*/", position + 2);
      if (end == StringRef::npos)
        return false;
      line += text.slice(position, end).count('\n');
      position = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, text.substr(position, length), line};
  position += length;
  return token;
}

/// Moves to the end, so that no token follows an invalid one.
Token Lexer::invalid(StringRef why) {
  position = text.size();
  return Token{Token::Kind::Invalid, why, line};
}

Token Lexer::next() {
  if (!skipSpace())
    return invalid("a comment that does not end");
  if (position == text.size())
    return Token{Token::Kind::End, "", line};
  char c = text[position];
  if (llvm::isAlpha(c) || c == '_' || c == '$' || c == '%') {
    size_t length = 1;
    while (isFollower(at(length)))
      ++length;
    // `%` alone and before a digit is the remainder operator.
    bool isOperator = c == '%' && (length == 1 || llvm::isDigit(at(1)));
    if (isOperator)
      return take(Token::Kind::Operator, 1);
    if (c == '$' && length == 1)
      return invalid("'$' without a name");
    return take(Token::Kind::Identifier, length);
  }
  if (llvm::isDigit(c) || isFraction())
    return lexNumber();
  if (c == '.')
    return lexDotWord();
  if (c == '"')
    return lexString();
  static constexpr StringRef kPairs[] = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  for (StringRef pair : kPairs)
    if (c == pair[0] && at(1) == pair[1])
      return take(Token::Kind::Operator, 2);
  if (StringRef("+-*/<>=!&|^~?:()[]{},;@").contains(c))
    return take(Token::Kind::Operator, 1);
  return invalid(llvm::isPrint(c) ? "a character that PTX does not use"
                                  : "a character that is not ASCII text");
}

/// `.5` is a number unless an identifier ends just before it. `.2d` is a word.
bool Lexer::isFraction() const {
  size_t length = 1;
  while (llvm::isDigit(at(length)))
    ++length;
  return at(0) == '.' && length != 1 &&
         (position == 0 || !isFollower(text[position - 1])) &&
         (!isFollower(at(length)) || llvm::toLower(at(length)) == 'e');
}

/// Takes all characters that may belong to a number. The parser checks them.
Token Lexer::lexNumber() {
  size_t length = 1;
  // After `0f` and `0d` an `e` is a hexadecimal digit.
  bool isCoded = at(0) == '0' && StringRef("fFdDxX").contains(at(1));
  while (true) {
    char c = at(length);
    bool isExponentSign = !isCoded && (c == '+' || c == '-') &&
                          (at(length - 1) == 'e' || at(length - 1) == 'E');
    bool isPoint = !isCoded && c == '.' && !llvm::isAlpha(at(length + 1)) &&
                   at(length + 1) != '_';
    if (!llvm::isAlnum(c) && !isPoint && !isExponentSign)
      break;
    ++length;
  }
  return take(Token::Kind::Number, length);
}

Token Lexer::lexString() {
  size_t length = 1;
  while (at(length) != '"') {
    if (at(length) == '\\')
      ++length;
    if (position + length >= text.size() || at(length) == '\n')
      return invalid("a string that does not end");
    ++length;
  }
  Token token = take(Token::Kind::String, length + 1);
  token.text = token.text.drop_front().drop_back();
  return token;
}

Token Lexer::lexDotWord() {
  size_t length = 1;
  while (isFollower(at(length)) ||
         (at(length) == ':' && at(length + 1) == ':' &&
          isFollower(at(length + 2))) ||
         (at(length) == ':' && at(length - 1) == ':' && length > 2 &&
          isFollower(at(length + 1))))
    ++length;
  if (length == 1)
    return invalid("'.' without a name");
  Token token = take(Token::Kind::DotWord, length);
  token.text = token.text.drop_front();
  return token;
}
