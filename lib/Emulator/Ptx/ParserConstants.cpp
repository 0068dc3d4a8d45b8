//===- ParserConstants.cpp - Parser of constant expressions ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct BinaryOperator {
  StringRef spelling;
  unsigned precedence;
};

constexpr BinaryOperator kBinaryOperators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

constexpr unsigned kMaxDigits = 100;

double toDouble(const Constant &value) {
  if (value.isFloat())
    return llvm::bit_cast<double>(value.bits);
  return value.kind == Constant::Kind::Signed
             ? static_cast<double>(static_cast<int64_t>(value.bits))
             : static_cast<double>(value.bits);
}

Constant makeFloat(double value) {
  return {Constant::Kind::Float, llvm::bit_cast<uint64_t>(value)};
}

/// The double of a float's bits; done by hand since a cast would make a
/// signalling NaN quiet.
uint64_t widenFloat(uint32_t bits) {
  if ((bits & 0x7FFFFFFF) <= 0x7F800000)
    return llvm::bit_cast<uint64_t>(
        static_cast<double>(llvm::bit_cast<float>(bits)));
  return uint64_t(bits >> 31) << 63 | uint64_t(0x7FF) << 52 |
         uint64_t(bits & 0x7FFFFF) << 29;
}

std::optional<Constant> readDecimalFloat(StringRef text) {
  // APFloat would take `1e` for 1.
  if (StringRef("eE+-").contains(text.back()))
    return std::nullopt;
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status =
      value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return Constant{Constant::Kind::Float, value.bitcastToAPInt().getZExtValue()};
}

template <typename T>
std::optional<bool> compare(T left, StringRef op, T right) {
  if (op == "==")
    return left == right;
  if (op == "!=")
    return left != right;
  if (op == "<")
    return left < right;
  if (op == ">")
    return left > right;
  if (op == "<=")
    return left <= right;
  if (op == ">=")
    return left >= right;
  return std::nullopt;
}

std::optional<Constant> applyToFloats(double left, StringRef op, double right) {
  if (std::optional<bool> result = compare(left, op, right))
    return Constant{Constant::Kind::Signed, *result};
  if (op == "+")
    return makeFloat(left + right);
  if (op == "-")
    return makeFloat(left - right);
  if (op == "*")
    return makeFloat(left * right);
  if (op == "/")
    return makeFloat(left / right);
  return std::nullopt;
}

/// Bits of what operates on both signs alike.
std::optional<uint64_t> applyToBits(uint64_t left, StringRef op,
                                    uint64_t right) {
  switch (op[0]) {
  case '+':
    return left + right;
  case '-':
    return left - right;
  case '*':
    return left * right;
  case '&':
    return left & right;
  case '|':
    return left | right;
  case '^':
    return left ^ right;
  default:
    return std::nullopt;
  }
}

uint64_t shiftRight(const Constant &value, uint64_t count) {
  if (value.kind == Constant::Kind::Unsigned)
    return count < 64 ? value.bits >> count : 0;
  return static_cast<int64_t>(value.bits) >> std::min<uint64_t>(count, 63);
}

/// The divisor is not zero.
uint64_t divide(uint64_t left, uint64_t right, bool isSigned, bool remainder) {
  if (!isSigned)
    return remainder ? left % right : left / right;
  // The one case that overflows, and -left is what it wraps to.
  if (static_cast<int64_t>(right) == -1)
    return remainder ? 0 : -left;
  int64_t a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
  return remainder ? a % b : a / b;
}

} // namespace

bool Constant::isTrue() const {
  return isFloat() ? llvm::bit_cast<double>(bits) != 0 : bits != 0;
}

std::optional<Constant> Parser::readNumber(StringRef text) {
  StringRef rest = text;
  if (text.starts_with_insensitive("0f") ||
      text.starts_with_insensitive("0d")) {
    bool isDouble = llvm::toLower(text[1]) == 'd';
    rest = text.drop_front(2);
    uint64_t bits = 0;
    if (rest.size() != (isDouble ? 16 : 8) ||
        !llvm::all_of(rest, llvm::isHexDigit) || rest.getAsInteger(16, bits))
      return std::nullopt;
    return Constant{Constant::Kind::Float,
                    isDouble ? bits : widenFloat(static_cast<uint32_t>(bits))};
  }
  unsigned radix = 10;
  if (rest.consume_front_insensitive("0x"))
    radix = 16;
  else if (rest.consume_front_insensitive("0b"))
    radix = 2;
  else if (text.find_first_of(".eE") != StringRef::npos)
    return readDecimalFloat(text);
  else if (text.size() > 1 && text[0] == '0' && llvm::isDigit(text[1]))
    radix = 8;
  bool isUnsigned = rest.consume_back("U");
  Constant value;
  if (rest.empty() || !llvm::isAlnum(rest[0]) ||
      rest.getAsInteger(radix, value.bits))
    return std::nullopt;
  if (isUnsigned || value.bits > INT64_MAX)
    value.kind = Constant::Kind::Unsigned;
  return value;
}

bool Parser::parseNumber(Constant &value) {
  if (token.text.size() > kMaxDigits)
    return fail("a number of more than " + Twine(kMaxDigits) + " digits");
  std::optional<Constant> found = readNumber(token.text);
  if (!found)
    return fail("'" + token.text + "' is no number of 64 bits");
  value = *found;
  advance();
  return false;
}

bool Parser::parsePrimary(Constant &value) {
  if (token.is(Kind::Number))
    return parseNumber(value);
  if (token.is(Kind::Identifier) && token.text == "WARP_SZ") {
    value = {Constant::Kind::Signed, 32};
    advance();
    return false;
  }
  if (!consume("("))
    return failExpected("a value");
  if (token.is(Kind::DotWord)) {
    Constant::Kind kind = token.text == "u64"   ? Constant::Kind::Unsigned
                          : token.text == "s64" ? Constant::Kind::Signed
                                                : Constant::Kind::Float;
    if (kind == Constant::Kind::Float)
      return failExpected(".s64 or .u64 to cast to");
    advance();
    uint32_t line = token.line;
    if (expect(")", "after a cast's type") || parseUnary(value))
      return true;
    if (value.isFloat())
      return fail("a floating-point value cannot be cast", line);
    value.kind = kind;
    return false;
  }
  return parseConstant(value) || expect(")", "after an expression");
}

bool Parser::parseUnary(Constant &value) {
  // Each level of nesting passes through here, so this bounds the stack.
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  if (nesting > kMaxNesting)
    return fail("an expression is nested deeper than " + Twine(kMaxNesting));
  uint32_t line = token.line;
  if (consume("+"))
    return parseUnary(value);
  if (consume("-")) {
    if (parseUnary(value))
      return true;
    // In floats the sign only, so that it is exact for NaNs and zeros.
    value.bits = value.isFloat() ? value.bits ^ uint64_t(1) << 63 : -value.bits;
    return false;
  }
  if (consume("!")) {
    if (parseUnary(value))
      return true;
    value = {Constant::Kind::Signed, !value.isTrue()};
    return false;
  }
  if (consume("~")) {
    if (parseUnary(value))
      return true;
    if (value.isFloat())
      return fail("'~' of a floating-point value", line);
    value.bits = ~value.bits;
    return false;
  }
  return parsePrimary(value);
}

bool Parser::applyBinary(Constant &left, StringRef op, const Constant &right) {
  if (op == "&&" || op == "||") {
    bool result = op == "&&" ? left.isTrue() && right.isTrue()
                             : left.isTrue() || right.isTrue();
    left = {Constant::Kind::Signed, result};
    return false;
  }
  if (left.isFloat() || right.isFloat()) {
    std::optional<Constant> result =
        applyToFloats(toDouble(left), op, toDouble(right));
    if (!result)
      return fail("'" + op + "' of a floating-point value");
    left = *result;
    return false;
  }
  // A shift is of the left one's type.
  if (op == "<<" || op == ">>") {
    if (op == ">>")
      left.bits = shiftRight(left, right.bits);
    else
      left.bits = right.bits < 64 ? left.bits << right.bits : 0;
    return false;
  }
  bool isSigned = left.kind == Constant::Kind::Signed &&
                  right.kind == Constant::Kind::Signed;
  std::optional<bool> relation =
      isSigned ? compare(static_cast<int64_t>(left.bits), op,
                         static_cast<int64_t>(right.bits))
               : compare(left.bits, op, right.bits);
  if (relation) {
    left = {Constant::Kind::Signed, *relation};
    return false;
  }
  left.kind = isSigned ? Constant::Kind::Signed : Constant::Kind::Unsigned;
  if (std::optional<uint64_t> bits = applyToBits(left.bits, op, right.bits)) {
    left.bits = *bits;
    return false;
  }
  if (right.bits == 0)
    return fail("a constant is divided by zero");
  left.bits = divide(left.bits, right.bits, isSigned, op == "%");
  return false;
}

bool Parser::parseBinary(Constant &value, unsigned minimum) {
  if (parseUnary(value))
    return true;
  while (token.is(Kind::Operator)) {
    const BinaryOperator *found =
        llvm::find_if(kBinaryOperators, [&](const BinaryOperator &candidate) {
          return candidate.spelling == token.text;
        });
    if (found == std::end(kBinaryOperators) || found->precedence < minimum)
      return false;
    advance();
    Constant right;
    if (parseBinary(right, found->precedence + 1) ||
        applyBinary(value, found->spelling, right))
      return true;
  }
  return false;
}

bool Parser::parseConstant(Constant &value) {
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  if (nesting > kMaxNesting)
    return fail("an expression is nested deeper than " + Twine(kMaxNesting));
  if (parseBinary(value, 1))
    return true;
  if (!consume("?"))
    return false;
  Constant yes, no;
  if (parseConstant(yes) || expect(":", "after '?' and a value") ||
      parseConstant(no))
    return true;
  value = value.isTrue() ? yes : no;
  return false;
}

bool Parser::parseIntegerConstant(Constant &value, const Twine &what) {
  uint32_t line = token.line;
  if (!token.is(Kind::Number) && !token.is(Kind::Identifier) &&
      !token.is(Kind::Operator))
    return failExpected(what);
  if (parseConstant(value))
    return true;
  return value.isFloat() && fail(what + " must be an integer", line);
}
