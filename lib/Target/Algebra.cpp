//===- Algebra.cpp - What products do in place of times and plus ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Algebra.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdint>

using namespace llvm;

namespace tcgemm {

namespace {
using Op = AlgebraOperation;

struct OperationInfo {
  StringLiteral word;
  StringLiteral ofFloats, ofIntegers; ///< In arith; empty if there is none.
  double neutralFloat;
  int32_t neutralInteger;
  bool isSelection; ///< Combines a value with itself to that value.
};

constexpr int32_t kLeast = INT32_MIN, kGreatest = INT32_MAX;

/// In the order of the enumeration.
constexpr OperationInfo kOperations[] = {
    {"times", "mulf", "muli", 1, 1, false},
    {"plus", "addf", "addi", 0, 0, false},
    {"max", "maximumf", "maxsi", -HUGE_VAL, kLeast, true},
    {"min", "minimumf", "minsi", HUGE_VAL, kGreatest, true},
    {"maxnum", "maxnumf", "", -HUGE_VAL, 0, true},
    {"minnum", "minnumf", "", HUGE_VAL, 0, true},
    {"maxu", "", "maxui", 0, 0, true},
    {"minu", "", "minui", 0, -1, true},
    {"and", "", "andi", 0, -1, true},
    {"or", "", "ori", 0, 0, true},
    {"xor", "", "xori", 0, 0, false},
};

constexpr ScalarType kSumTypes[] = {ScalarType::F32, ScalarType::F64,
                                    ScalarType::I32};
constexpr ScalarType kElementTypes[] = {ScalarType::F32, ScalarType::F64,
                                        ScalarType::I32, ScalarType::I8,
                                        ScalarType::U8};

const OperationInfo &getInfo(Op operation) {
  return kOperations[static_cast<unsigned>(operation)];
}

bool hasOperations(const Algebra &algebra, bool ofFloats) {
  return !getArithName(algebra.reduce, ofFloats).empty() &&
         !getArithName(algebra.combine, ofFloats).empty();
}

std::string listWords() {
  return join(map_range(kOperations,
                        [](const OperationInfo &info) { return info.word; }),
              ", ");
}
} // namespace

StringRef getAlgebraWord(AlgebraOperation operation) {
  return getInfo(operation).word;
}

std::optional<AlgebraOperation> parseAlgebraWord(StringRef word) {
  for (auto [number, info] : enumerate(kOperations))
    if (info.word == word)
      return static_cast<Op>(number);
  return std::nullopt;
}

StringRef getArithName(AlgebraOperation operation, bool ofFloats) {
  const OperationInfo &info = getInfo(operation);
  return ofFloats ? info.ofFloats : info.ofIntegers;
}

/// The larger of two numbers that are not NaN. The sign orders zeros.
static double getLarger(double x, double y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double applyAlgebra(AlgebraOperation operation, double x, double y) {
  switch (operation) {
  case Op::Times:
    return x * y;
  case Op::Plus:
    return x + y;
  case Op::Max:
    return std::isnan(x) || std::isnan(y) ? x + y : getLarger(x, y);
  case Op::Min:
    return std::isnan(x) || std::isnan(y) ? x + y : -getLarger(-x, -y);
  case Op::MaxNum:
    return std::isnan(x) ? y : std::isnan(y) ? x : getLarger(x, y);
  case Op::MinNum:
    return std::isnan(x) ? y : std::isnan(y) ? x : -getLarger(-x, -y);
  default:
    llvm_unreachable("an operation on integers");
  }
}

int32_t applyIntegerAlgebra(AlgebraOperation operation, int32_t x, int32_t y) {
  auto left = static_cast<uint32_t>(x), right = static_cast<uint32_t>(y);
  switch (operation) {
  case Op::Times:
    return static_cast<int32_t>(left * right);
  case Op::Plus:
    return static_cast<int32_t>(left + right);
  case Op::Max:
    return std::max(x, y);
  case Op::Min:
    return std::min(x, y);
  case Op::MaxUnsigned:
    return static_cast<int32_t>(std::max(left, right));
  case Op::MinUnsigned:
    return static_cast<int32_t>(std::min(left, right));
  case Op::And:
    return x & y;
  case Op::Or:
    return x | y;
  case Op::Xor:
    return x ^ y;
  default:
    llvm_unreachable("an operation on floats");
  }
}

bool Algebra::isSupported() const {
  return hasOperations(*this, /*ofFloats=*/true) ||
         hasOperations(*this, /*ofFloats=*/false);
}

bool Algebra::isOrdered(ScalarType type) const {
  return isFloatType(type) && !getInfo(reduce).isSelection;
}

ScalarConstant Algebra::getNeutral(ScalarType type) const {
  const OperationInfo &info = getInfo(reduce);
  if (isFloatType(type))
    return info.neutralFloat;
  return static_cast<int64_t>(info.neutralInteger);
}

/// Returns whether the combination of the neutral element and zero is the
/// neutral one.
static bool isPaddedByZero(const Algebra &algebra, ScalarType type) {
  ScalarConstant neutral = algebra.getNeutral(type);
  if (const double *value = std::get_if<double>(&neutral))
    return applyAlgebra(algebra.combine, *value, 0) == *value;
  auto value = static_cast<int32_t>(std::get<int64_t>(neutral));
  return applyIntegerAlgebra(algebra.combine, value, 0) == value;
}

ScalarConstant Algebra::getPadding(ScalarType type, unsigned operand) const {
  bool isFloat = isFloatType(type);
  if (operand && isPaddedByZero(*this, type))
    return isFloat ? ScalarConstant(0.0) : ScalarConstant(int64_t(0));
  // Combined with itself, a value is not changed by a selection, nor is it by
  // the neutral element of any other combination.
  if (!operand || getInfo(combine).isSelection)
    return getNeutral(type);
  return Algebra{combine, combine}.getNeutral(type);
}

std::string Algebra::str() const {
  return (getAlgebraWord(reduce) + "-" + getAlgebraWord(combine)).str();
}

Expected<Algebra> Algebra::parse(StringRef text) {
  auto [first, second] = text.split('-');
  std::optional<Op> reduce = parseAlgebraWord(first),
                    combine = parseAlgebraWord(second);
  if (!reduce || !combine)
    return createStringError("algebra: '" + text +
                             "' is no REDUCE-COMBINE of two of " + listWords());
  Algebra algebra{*reduce, *combine};
  if (!algebra.isSupported())
    return createStringError("algebra: no type has both operations of '" +
                             text + "'");
  return algebra;
}

std::vector<Algebra> listAlgebras(ScalarType type) {
  std::vector<Algebra> algebras;
  for (unsigned reduce = 0; reduce != std::size(kOperations); ++reduce)
    for (unsigned combine = 0; combine != std::size(kOperations); ++combine)
      if (Algebra algebra{Op(reduce), Op(combine)};
          is_contained(kSumTypes, type) &&
          hasOperations(algebra, isFloatType(type)))
        algebras.push_back(algebra);
  return algebras;
}

bool hasAlgebra(ScalarType type, const Algebra &algebra) {
  if (!is_contained(kElementTypes, type) ||
      !hasOperations(algebra, isFloatType(type)))
    return false;
  if (is_contained(kSumTypes, type))
    return true;
  ScalarConstant neutral = algebra.getNeutral(ScalarType::I32);
  return applyIntegerAlgebra(algebra.combine, 0, 0) ==
         std::get<int64_t>(neutral);
}

std::string listAlgebraTypes(const Algebra &algebra,
                             StringRef (*getName)(ScalarType)) {
  std::string names;
  SmallVector<StringRef> types;
  for (ScalarType type : kElementTypes)
    if (hasAlgebra(type, algebra))
      types.push_back(getName(type));
  for (auto [number, name] : enumerate(types)) {
    if (number)
      names += number + 1 == types.size() ? " and " : ", ";
    names += name;
  }
  return names;
}

} // namespace tcgemm
