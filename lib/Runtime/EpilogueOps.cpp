//===- EpilogueOps.cpp - The scalar operations of the interpreter ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table row for each operation, with its semantics as a lambda.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOps.h"
#include "tcgemm/Target/Algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tcgemm;
using llvm::StringRef;
using Op = AlgebraOperation;

uint64_t tcgemm::zeroExtend(int64_t value, unsigned bits) {
  auto raw = static_cast<uint64_t>(value);
  return bits == 64 ? raw : raw & ((uint64_t(1) << bits) - 1);
}

int64_t tcgemm::signExtend(int64_t value, unsigned bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >>
         (64 - bits);
}

namespace {

constexpr auto kExact = OpAccuracy::Exact;
constexpr auto kRounding = OpAccuracy::Rounding;
constexpr auto kMath = OpAccuracy::Math;

OpInfo unary(StringRef name, OpAccuracy accuracy, double (*function)(double)) {
  OpInfo info{name, OpShape::FloatUnary, 1, accuracy};
  info.unary = function;
  return info;
}

OpInfo binary(StringRef name, OpAccuracy accuracy,
              double (*function)(double, double)) {
  OpInfo info{name, OpShape::FloatBinary, 2, accuracy};
  info.binary = function;
  return info;
}

OpInfo integer(StringRef name, int64_t (*function)(int64_t, int64_t, unsigned),
               OpShape shape = OpShape::IntBinary) {
  OpInfo info{name, shape, shape == OpShape::IntUnary ? 1U : 2U};
  info.integer = function;
  return info;
}

OpInfo test(StringRef name, double (*function)(double)) {
  OpInfo info{name, OpShape::FloatTest, 1};
  info.unary = function;
  return info;
}

template <AlgebraOperation operation> double apply(double a, double b) {
  return applyAlgebra(operation, a, b);
}

int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

/// Division by zero is undefined in arith; the result is 0 here.
int64_t divideSigned(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? wrapMul(a, -1) : a / b;
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  bool inexact = b != 0 && b != -1 && a % b != 0;
  return inexact && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  bool inexact = b != 0 && b != -1 && a % b != 0;
  return inexact && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

const OpInfo kOps[] = {
    binary("arith.addf", kRounding, [](double a, double b) { return a + b; }),
    binary("arith.subf", kRounding, [](double a, double b) { return a - b; }),
    binary("arith.mulf", kRounding, [](double a, double b) { return a * b; }),
    binary("arith.divf", kMath, [](double a, double b) { return a / b; }),
    binary("arith.remf", kMath, [](double a, double b) { return fmod(a, b); }),
    binary("arith.maximumf", kExact, apply<Op::Max>),
    binary("arith.minimumf", kExact, apply<Op::Min>),
    binary("arith.maxnumf", kExact, apply<Op::MaxNum>),
    binary("arith.minnumf", kExact, apply<Op::MinNum>),
    binary("math.powf", kMath, [](double a, double b) { return pow(a, b); }),
    binary("math.atan2", kMath, [](double a, double b) { return atan2(a, b); }),
    binary("math.copysign", kExact,
           [](double a, double b) { return copysign(a, b); }),
    unary("arith.negf", kExact, [](double a) { return -a; }),
    unary("math.absf", kExact, [](double a) { return fabs(a); }),
    unary("math.floor", kExact, [](double a) { return floor(a); }),
    unary("math.ceil", kExact, [](double a) { return ceil(a); }),
    unary("math.trunc", kExact, [](double a) { return trunc(a); }),
    unary("math.round", kExact, [](double a) { return round(a); }),
    unary("math.roundeven", kExact, [](double a) { return nearbyint(a); }),
    unary("math.sqrt", kMath, [](double a) { return sqrt(a); }),
    unary("math.rsqrt", kMath, [](double a) { return 1 / sqrt(a); }),
    unary("math.cbrt", kMath, [](double a) { return cbrt(a); }),
    unary("math.exp", kMath, [](double a) { return exp(a); }),
    unary("math.exp2", kMath, [](double a) { return exp2(a); }),
    unary("math.expm1", kMath, [](double a) { return expm1(a); }),
    unary("math.log", kMath, [](double a) { return log(a); }),
    unary("math.log2", kMath, [](double a) { return log2(a); }),
    unary("math.log10", kMath, [](double a) { return log10(a); }),
    unary("math.log1p", kMath, [](double a) { return log1p(a); }),
    unary("math.erf", kMath, [](double a) { return erf(a); }),
    unary("math.erfc", kMath, [](double a) { return erfc(a); }),
    unary("math.sin", kMath, [](double a) { return sin(a); }),
    unary("math.cos", kMath, [](double a) { return cos(a); }),
    unary("math.tan", kMath, [](double a) { return tan(a); }),
    unary("math.sinh", kMath, [](double a) { return sinh(a); }),
    unary("math.cosh", kMath, [](double a) { return cosh(a); }),
    unary("math.tanh", kMath, [](double a) { return tanh(a); }),
    unary("math.asin", kMath, [](double a) { return asin(a); }),
    unary("math.acos", kMath, [](double a) { return acos(a); }),
    unary("math.atan", kMath, [](double a) { return atan(a); }),
    unary("math.asinh", kMath, [](double a) { return asinh(a); }),
    unary("math.acosh", kMath, [](double a) { return acosh(a); }),
    unary("math.atanh", kMath, [](double a) { return atanh(a); }),
    test("math.isnan", [](double a) { return double(std::isnan(a)); }),
    test("math.isinf", [](double a) { return double(std::isinf(a)); }),
    test("math.isfinite", [](double a) { return double(std::isfinite(a)); }),
    {"math.fma", OpShape::FloatTernary, 3, kRounding, nullptr, nullptr,
     [](double a, double b, double c) { return fma(a, b, c); }},
    {"math.clampf", OpShape::FloatTernary, 3, kExact, nullptr, nullptr,
     [](double a, double low, double high) {
       return apply<Op::Min>(apply<Op::Max>(a, low), high);
     }},
    integer("arith.addi",
            [](int64_t a, int64_t b, unsigned) { return wrapAdd(a, b); }),
    integer("arith.subi", [](int64_t a, int64_t b,
                             unsigned) { return wrapAdd(a, wrapMul(b, -1)); }),
    integer("arith.muli",
            [](int64_t a, int64_t b, unsigned) { return wrapMul(a, b); }),
    integer("arith.divsi",
            [](int64_t a, int64_t b, unsigned) { return divideSigned(a, b); }),
    integer("arith.floordivsi",
            [](int64_t a, int64_t b, unsigned) { return floorDivide(a, b); }),
    integer("arith.ceildivsi",
            [](int64_t a, int64_t b, unsigned) { return ceilDivide(a, b); }),
    integer("arith.remsi",
            [](int64_t a, int64_t b, unsigned) {
              return b == 0 || b == -1 ? 0 : a % b;
            }),
    integer("arith.divui",
            [](int64_t a, int64_t b, unsigned bits) -> int64_t {
              return b == 0 ? 0 : zeroExtend(a, bits) / zeroExtend(b, bits);
            }),
    integer("arith.ceildivui",
            [](int64_t a, int64_t b, unsigned bits) -> int64_t {
              if (b == 0)
                return 0;
              uint64_t x = zeroExtend(a, bits), y = zeroExtend(b, bits);
              return x / y + (x % y != 0);
            }),
    integer("arith.remui",
            [](int64_t a, int64_t b, unsigned bits) -> int64_t {
              return b == 0 ? 0 : zeroExtend(a, bits) % zeroExtend(b, bits);
            }),
    integer("arith.andi", [](int64_t a, int64_t b, unsigned) { return a & b; }),
    integer("arith.ori", [](int64_t a, int64_t b, unsigned) { return a | b; }),
    integer("arith.xori", [](int64_t a, int64_t b, unsigned) { return a ^ b; }),
    integer("arith.shli",
            [](int64_t a, int64_t b, unsigned bits) -> int64_t {
              uint64_t by = zeroExtend(b, bits);
              return by >= bits ? 0 : static_cast<uint64_t>(a) << by;
            }),
    integer("arith.shrsi",
            [](int64_t a, int64_t b, unsigned bits) {
              return a >> std::min<uint64_t>(zeroExtend(b, bits), bits - 1);
            }),
    integer("arith.shrui",
            [](int64_t a, int64_t b, unsigned bits) -> int64_t {
              uint64_t by = zeroExtend(b, bits);
              return by >= bits ? 0 : zeroExtend(a, bits) >> by;
            }),
    integer("arith.maxsi",
            [](int64_t a, int64_t b, unsigned) { return std::max(a, b); }),
    integer("arith.minsi",
            [](int64_t a, int64_t b, unsigned) { return std::min(a, b); }),
    integer("arith.maxui",
            [](int64_t a, int64_t b, unsigned bits) {
              return zeroExtend(a, bits) < zeroExtend(b, bits) ? b : a;
            }),
    integer("arith.minui",
            [](int64_t a, int64_t b, unsigned bits) {
              return zeroExtend(a, bits) < zeroExtend(b, bits) ? a : b;
            }),
    integer(
        "math.absi",
        [](int64_t a, int64_t, unsigned) { return a < 0 ? wrapMul(a, -1) : a; },
        OpShape::IntUnary),
    {"arith.cmpf", OpShape::CompareFloat, 2},
    {"arith.cmpi", OpShape::CompareInt, 2},
    {"arith.select", OpShape::Select, 3},
    {"arith.constant", OpShape::Constant, 0},
    {"tcgemm.index", OpShape::Index, 0},
    {"arith.extf", OpShape::FloatCast, 1},
    {"arith.truncf", OpShape::FloatCast, 1, kRounding},
    {"arith.sitofp", OpShape::SignedToFloat, 1, kRounding},
    {"arith.uitofp", OpShape::UnsignedToFloat, 1, kRounding},
    {"arith.fptosi", OpShape::FloatToSigned, 1},
    {"arith.fptoui", OpShape::FloatToUnsigned, 1},
    {"arith.extsi", OpShape::SignExtend, 1},
    {"arith.extui", OpShape::ZeroExtend, 1},
    {"arith.trunci", OpShape::Truncate, 1},
    {"arith.index_cast", OpShape::SignExtend, 1},
    {"arith.index_castui", OpShape::ZeroExtend, 1},
    {"arith.bitcast", OpShape::Bitcast, 1},
};

} // namespace

unsigned tcgemm::getNumOps() { return std::size(kOps); }

const OpInfo &tcgemm::getOpInfo(unsigned code) { return kOps[code]; }

unsigned tcgemm::findOp(StringRef name) {
  const auto *found =
      std::find_if(std::begin(kOps), std::end(kOps),
                   [&](const OpInfo &op) { return op.name == name; });
  return static_cast<unsigned>(found - std::begin(kOps));
}

static int findName(llvm::ArrayRef<StringRef> names, StringRef name) {
  const auto *found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int tcgemm::findFloatPredicate(StringRef name) {
  return findName({"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                   "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"},
                  name);
}

int tcgemm::findIntPredicate(StringRef name) {
  return findName(
      {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"},
      name);
}

bool tcgemm::compareFloats(unsigned predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  if (predicate == 0 || predicate == 15)
    return predicate == 15;
  if (predicate == 7 || predicate == 14)
    return unordered == (predicate == 14);
  if (unordered)
    return predicate >= 8;
  switch (predicate >= 8 ? predicate - 7 : predicate) {
  case 1:
    return a == b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a < b;
  case 5:
    return a <= b;
  default:
    return a != b;
  }
}

bool tcgemm::compareInts(unsigned predicate, int64_t a, int64_t b,
                         unsigned bits) {
  uint64_t x = zeroExtend(a, bits), y = zeroExtend(b, bits);
  switch (predicate) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return x < y;
  case 7:
    return x <= y;
  case 8:
    return x > y;
  default:
    return x >= y;
  }
}
