//===- ConstantParser.h - Parser of constant expressions --------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PTX_CONSTANTPARSER_H
#define TCGEMM_LIB_EMULATOR_PTX_CONSTANTPARSER_H

#include "Ptx/TokenStream.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tcgemm::ptx {

/// The value of a constant expression. Integers have 64 bits.
struct Constant {
  enum class Kind : uint8_t { Signed, Unsigned, Float };
  Kind kind = Kind::Signed;
  /// A float has the bits of a double, as in Operand.
  uint64_t bits = 0;

  bool isFloat() const { return kind == Kind::Float; }
  bool isTrue() const;
};

class ConstantParser {
public:
  explicit ConstantParser(TokenStream &in) : in(in) {}

  bool parse(Constant &value);
  bool parseInteger(Constant &value, const llvm::Twine &what);
  /// A number without sign or operators.
  bool parseCount(uint64_t &value, uint64_t limit, const llvm::Twine &what);
  /// `+8`, `+-4`, `-4+8` after a base.
  bool parseOffset(int64_t &offset);
  /// Reads the text of a number; null if it is not a number. Sets no error.
  static std::optional<Constant> readNumber(llvm::StringRef text);

private:
  using Kind = Token::Kind;

  /// Operators of at least the precedence `minimum`.
  bool parseBinary(Constant &value, unsigned minimum);
  bool applyBinary(Constant &left, llvm::StringRef op, const Constant &right);
  bool parseUnary(Constant &value);
  bool parsePrimary(Constant &value);
  bool parseCast(Constant &value);
  bool parseNumber(Constant &value);

  TokenStream &in;
  unsigned nesting = 0;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_LIB_EMULATOR_PTX_CONSTANTPARSER_H
