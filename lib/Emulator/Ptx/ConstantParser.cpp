//===- ConstantParser.cpp - Parser of constant expressions ----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/ConstantParser.h"
#include "Ptx/Limits.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Error.h"

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

/// The bits of a float as those of a double. A cast would make a signalling NaN
/// quiet.
uint64_t widenFloat(uint32_t bits) {
  if ((bits & 0x7FFFFFFF) <= 0x7F800000)
    return llvm::bit_cast<uint64_t>(
        static_cast<double>(llvm::bit_cast<float>(bits)));
  return uint64_t(bits >> 31) << 63 | uint64_t(0x7FF) << 52 |
         uint64_t(bits & 0x7FFFFF) << 29;
}

std::optional<Constant> readDecimalFloat(StringRef text) {
  // APFloat would read `1e` as 1.
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

/// Operators that do the same for both signs.
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
  // The one case that overflows. It wraps to -left.
  if (static_cast<int64_t>(right) == -1)
    return remainder ? 0 : -left;
  int64_t a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
  return remainder ? a % b : a / b;
}

} // namespace

bool Constant::isTrue() const {
  return isFloat() ? llvm::bit_cast<double>(bits) != 0 : bits != 0;
}

std::optional<Constant> ConstantParser::readNumber(StringRef text) {
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

bool ConstantParser::parseNumber(Constant &value) {
  if (in.token().text.size() > kMaxDigits)
    return in.fail("a number of more than " + Twine(kMaxDigits) + " digits");
  std::optional<Constant> found = readNumber(in.token().text);
  if (!found)
    return in.fail("'" + in.token().text + "' is no number of 64 bits");
  value = *found;
  in.advance();
  return false;
}

bool ConstantParser::parseCount(uint64_t &value, uint64_t limit,
                                const Twine &what) {
  if (!in.token().is(Kind::Number))
    return in.failExpected(what);
  Constant constant;
  uint32_t line = in.token().line;
  if (parseNumber(constant))
    return true;
  if (constant.isFloat())
    return in.fail("expected " + what + ", found a floating-point number",
                   line);
  if (constant.bits > limit)
    return in.fail(what + " is over the limit of " + Twine(limit), line);
  value = constant.bits;
  return false;
}

/// `.s64)` or `.u64)` and the value, after the '('.
bool ConstantParser::parseCast(Constant &value) {
  StringRef type = in.token().text;
  if (type != "u64" && type != "s64")
    return in.failExpected(".s64 or .u64 to cast to");
  in.advance();
  uint32_t line = in.token().line;
  if (in.expect(")", "after a cast's type") || parseUnary(value))
    return true;
  if (value.isFloat())
    return in.fail("a floating-point value cannot be cast", line);
  value.kind =
      type == "u64" ? Constant::Kind::Unsigned : Constant::Kind::Signed;
  return false;
}

bool ConstantParser::parsePrimary(Constant &value) {
  if (in.token().is(Kind::Number))
    return parseNumber(value);
  if (in.token().is(Kind::Identifier) && in.token().text == "WARP_SZ") {
    value = {Constant::Kind::Signed, 32};
    in.advance();
    return false;
  }
  if (!in.consume("("))
    return in.failExpected("a value");
  if (in.token().is(Kind::DotWord))
    return parseCast(value);
  return parse(value) || in.expect(")", "after an expression");
}

bool ConstantParser::parseUnary(Constant &value) {
  // Every level of nesting calls this function, so the check bounds the stack.
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  if (nesting > kMaxNesting)
    return in.fail("an expression is nested deeper than " + Twine(kMaxNesting));
  uint32_t line = in.token().line;
  if (in.consume("+"))
    return parseUnary(value);
  if (in.consume("-")) {
    if (parseUnary(value))
      return true;
    // A float changes its sign bit only. That is exact for NaNs and zeros.
    value.bits = value.isFloat() ? value.bits ^ uint64_t(1) << 63 : -value.bits;
    return false;
  }
  if (in.consume("!")) {
    if (parseUnary(value))
      return true;
    value = {Constant::Kind::Signed, !value.isTrue()};
    return false;
  }
  if (in.consume("~")) {
    if (parseUnary(value))
      return true;
    if (value.isFloat())
      return in.fail("'~' of a floating-point value", line);
    value.bits = ~value.bits;
    return false;
  }
  return parsePrimary(value);
}

bool ConstantParser::applyBinary(Constant &left, StringRef op,
                                 const Constant &right) {
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
      return in.fail("'" + op + "' of a floating-point value");
    left = *result;
    return false;
  }
  // A shift has the type of its left operand.
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
    return in.fail("a constant is divided by zero");
  left.bits = divide(left.bits, right.bits, isSigned, op == "%");
  return false;
}

bool ConstantParser::parseBinary(Constant &value, unsigned minimum) {
  if (parseUnary(value))
    return true;
  while (in.token().is(Kind::Operator)) {
    const BinaryOperator *found =
        llvm::find_if(kBinaryOperators, [&](const BinaryOperator &candidate) {
          return candidate.spelling == in.token().text;
        });
    if (found == std::end(kBinaryOperators) || found->precedence < minimum)
      return false;
    in.advance();
    Constant right;
    if (parseBinary(right, found->precedence + 1) ||
        applyBinary(value, found->spelling, right))
      return true;
  }
  return false;
}

bool ConstantParser::parse(Constant &value) {
  ++nesting;
  llvm::scope_exit leave([&] { --nesting; });
  if (nesting > kMaxNesting)
    return in.fail("an expression is nested deeper than " + Twine(kMaxNesting));
  if (parseBinary(value, 1))
    return true;
  if (!in.consume("?"))
    return false;
  Constant yes, no;
  if (parse(yes) || in.expect(":", "after '?' and a value") || parse(no))
    return true;
  value = value.isTrue() ? yes : no;
  return false;
}

bool ConstantParser::parseInteger(Constant &value, const Twine &what) {
  uint32_t line = in.token().line;
  if (!in.token().is(Kind::Number) && !in.token().is(Kind::Identifier) &&
      !in.token().is(Kind::Operator))
    return in.failExpected(what);
  if (parse(value))
    return true;
  return value.isFloat() && in.fail(what + " must be an integer", line);
}

bool ConstantParser::parseOffset(int64_t &offset) {
  uint64_t sum = 0;
  while (in.token().isOperator("+") || in.token().isOperator("-")) {
    bool isMinus = in.token().isOperator("-");
    in.advance();
    Constant term;
    uint32_t line = in.token().line;
    // This loop handles + and -. A term has operators of a higher precedence.
    constexpr unsigned kProduct = 10;
    if (parseBinary(term, kProduct))
      return true;
    if (term.isFloat())
      return in.fail("an offset must be an integer", line);
    sum += isMinus ? -term.bits : term.bits;
  }
  offset = static_cast<int64_t>(sum);
  return false;
}
