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

using namespace llvm;

namespace tcgemm {

namespace {
using Op = AlgebraOperation;

/// In the order of the enumeration.
constexpr StringLiteral kWords[] = {"times", "plus",   "max",
                                    "min",   "maxnum", "minnum"};

// `reduce` is associative and commutative, and getNeutral is right for A.
constexpr Algebra kAlgebras[] = {
    {Op::Plus, Op::Times},  {Op::Max, Op::Plus},      {Op::Min, Op::Plus},
    {Op::Max, Op::Min},     {Op::Min, Op::Max},       {Op::MaxNum, Op::Plus},
    {Op::MinNum, Op::Plus}, {Op::MaxNum, Op::MinNum}, {Op::MinNum, Op::MaxNum},
};
} // namespace

StringRef getAlgebraWord(AlgebraOperation operation) {
  return kWords[static_cast<unsigned>(operation)];
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
  }
  return 0;
}

bool Algebra::isSupported() const { return is_contained(kAlgebras, *this); }

double Algebra::getNeutral() const {
  switch (reduce) {
  case Op::Max:
  case Op::MaxNum:
    return -HUGE_VAL;
  case Op::Min:
  case Op::MinNum:
    return HUGE_VAL;
  default:
    return 0;
  }
}

std::string Algebra::str() const {
  return (getAlgebraWord(reduce) + "-" + getAlgebraWord(combine)).str();
}

Expected<Algebra> Algebra::parse(StringRef text) {
  for (const Algebra &algebra : kAlgebras)
    if (algebra.str() == text)
      return algebra;
  return createStringError(
      "algebra: '" + text + "' is none of " +
      join(map_range(kAlgebras,
                     [](const Algebra &algebra) { return algebra.str(); }),
           ", "));
}

ArrayRef<Algebra> getAlgebras() { return kAlgebras; }

bool hasAlgebras(ScalarType type) {
  return type == ScalarType::F32 || type == ScalarType::F64;
}

} // namespace tcgemm
