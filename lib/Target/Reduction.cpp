//===- Reduction.cpp - Reductions of an epilogue's values -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Reduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdint>
#include <limits>

using namespace tcgemm;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct CombinerInfo {
  llvm::StringLiteral name;
  bool isFloat;
  bool isOrdered;
  StateKind state;
  // The neutral element, if the state is a value.
  double neutral;
  double (*combine)(double x, double y);
};

/// NaN is the result if one of the values is.
double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::fmax(x, y);
}
double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::fmin(x, y);
}
/// NaN is the result only if all values are.
double maxNum(double x, double y) { return std::fmax(x, y); }
double minNum(double x, double y) { return std::fmin(x, y); }
double add(double x, double y) { return x + y; }

int32_t toInt32(double value) { return static_cast<int32_t>(value); }
uint32_t toBits(double value) { return static_cast<uint32_t>(toInt32(value)); }
/// Integers are signed in double, and sums wrap around.
double fromBits(uint32_t bits) { return static_cast<int32_t>(bits); }
double maxUnsigned(double x, double y) {
  return fromBits(std::max(toBits(x), toBits(y)));
}
double minUnsigned(double x, double y) {
  return fromBits(std::min(toBits(x), toBits(y)));
}
double addIntegers(double x, double y) {
  return fromBits(toBits(x) + toBits(y));
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using K = StateKind;

/// In the order of Combiner.
constexpr CombinerInfo kCombiners[] = {
    {"maximumf", true, false, K::Value, -kInfinity, maximum},
    {"minimumf", true, false, K::Value, kInfinity, minimum},
    {"maxnumf", true, false, K::Value, kNaN, maxNum},
    {"minnumf", true, false, K::Value, kNaN, minNum},
    {"addf", true, true, K::Value, -0.0, add},
    {"maxsi", false, false, K::Value, INT32_MIN, maxNum},
    {"minsi", false, false, K::Value, INT32_MAX, minNum},
    {"maxui", false, false, K::Value, 0, maxUnsigned},
    {"minui", false, false, K::Value, -1, minUnsigned},
    {"addi", false, false, K::Value, 0, addIntegers},
    {"argmaximumf", true, false, K::Index, 0, nullptr},
    {"argmaxnumf", true, false, K::Index, 0, nullptr},
    {"argmaxsi", false, false, K::Index, 0, nullptr},
    {"sumexpf", true, true, K::SumExp, 0, nullptr},
    {"meanf", true, true, K::Moments, 0, nullptr},
    {"variancef", true, true, K::Moments, 0, nullptr}};
static_assert(std::size(kCombiners) == kNumCombiners);

const CombinerInfo &getInfo(Combiner combiner) {
  return kCombiners[static_cast<unsigned>(combiner)];
}

} // namespace

llvm::StringRef tcgemm::getCombinerName(Combiner combiner) {
  return getInfo(combiner).name;
}

std::optional<Combiner> tcgemm::parseCombiner(llvm::StringRef name) {
  for (unsigned i = 0; i != kNumCombiners; ++i)
    if (kCombiners[i].name == name)
      return Combiner(i);
  return std::nullopt;
}

std::string tcgemm::getCombinerNames() {
  return llvm::join(
      llvm::map_range(kCombiners,
                      [](const CombinerInfo &info) { return info.name.str(); }),
      ", ");
}

StateKind tcgemm::getStateKind(Combiner combiner) {
  return getInfo(combiner).state;
}

bool tcgemm::canCombine(Combiner combiner, ScalarType type) {
  if (!getInfo(combiner).isFloat)
    return type == ScalarType::I32;
  // exp of f64 is no instruction.
  return type == ScalarType::F32 ||
         (type == ScalarType::F64 &&
          getStateKind(combiner) != StateKind::SumExp);
}

/// Returns whether a result has a type of indices.
static bool isIndexType(ScalarType type) {
  return type == ScalarType::I32 || type == ScalarType::I64;
}

bool tcgemm::canReduce(Combiner combiner, ScalarType value, ScalarType result) {
  bool isIndex = getStateKind(combiner) == StateKind::Index;
  return canCombine(combiner, value) &&
         (isIndex ? isIndexType(result) : value == result);
}

std::string tcgemm::findViolation(const ReductionInfo &reduction,
                                  ScalarType result) {
  Combiner combiner = reduction.combiner;
  std::string name = "'" + getCombinerName(combiner).str() + "'";
  StateKind state = getStateKind(combiner);
  if (state == StateKind::Index && !isIndexType(result))
    return name + " has a result of type i32 or i64, but not '" +
           getTypeName(result).str() + "'";
  if (state != StateKind::Index && !canCombine(combiner, result))
    return name + " does not combine values of type '" +
           getTypeName(result).str() + "'";
  const auto *number = std::get_if<double>(&reduction.initial);
  if (state == StateKind::Moments && !(number && *number == 0))
    return name + " starts with no values, so that its initial value is 0";
  if (state == StateKind::SumExp && !(number && *number >= 0))
    return name + " starts with a sum, which is 0 or more";
  return "";
}

bool tcgemm::isOrdered(Combiner combiner) {
  return getInfo(combiner).isOrdered;
}

ScalarConstant tcgemm::getNeutral(Combiner combiner, ScalarType type) {
  double neutral = getInfo(combiner).neutral;
  if (isFloatType(type))
    return neutral;
  return static_cast<int64_t>(neutral);
}

double tcgemm::combine(Combiner combiner, ScalarType type, double x, double y) {
  double result = getInfo(combiner).combine(x, y);
  return type == ScalarType::F32 ? static_cast<float>(result) : result;
}
