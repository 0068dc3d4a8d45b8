//===- Precision.cpp - Precisions of products -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Precision.h"
#include "tcgemm/Target/Instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

namespace {
struct PrecisionRow {
  Precision precision;
  StringLiteral name;
  ScalarType memory, operand; // operands in memory, and with this precision
  SplitInfo split; // without products for operands that are not split
};

// Small products come first, so that their sum is not rounded to the larger
// ones' last place.
constexpr PartProduct kThree[] = {{0, 1}, {1, 0}, {0, 0}};
constexpr PartProduct kSix[] = {{1, 1}, {0, 2}, {2, 0}, {0, 1}, {1, 0}, {0, 0}};

// A part of tf32 leaves a remainder of 2^-11, one of bf16 of 2^-8. The error is
// that of the remainder of each operand and of the largest products that are
// left out.
//
// In the order of the enumeration: rows are found by index.
constexpr PrecisionRow kPrecisions[] = {
    {Precision::IEEE, "ieee", ScalarType::F32, ScalarType::F32, {}},
    {Precision::TF32, "tf32", ScalarType::F32, ScalarType::TF32, {}},
    {Precision::TF32X3,
     "tf32x3",
     ScalarType::F32,
     ScalarType::TF32X3,
     {kThree, 3 * 0x1p-22, 0x1p22}},
    {Precision::BF16X3,
     "bf16x3",
     ScalarType::F32,
     ScalarType::BF16X3,
     {kThree, 3 * 0x1p-16, 0x1p16}},
    {Precision::BF16X6,
     "bf16x6",
     ScalarType::F32,
     ScalarType::BF16X6,
     {kSix, 0x1p-23, 0x1p24}},
    {Precision::F16, "f16", ScalarType::F16, ScalarType::F16Acc16, {}}};
} // namespace

static const PrecisionRow &getRow(Precision precision) {
  return kPrecisions[static_cast<unsigned>(precision)];
}

StringRef getPrecisionName(Precision precision) {
  return getRow(precision).name;
}

Expected<Precision> parsePrecision(StringRef name) {
  for (const PrecisionRow &row : kPrecisions)
    if (row.name == name)
      return row.precision;
  auto getName = [](const PrecisionRow &row) -> StringRef { return row.name; };
  return createStringError("precision: '" + name + "' is none of " +
                           join(map_range(kPrecisions, getName), ", "));
}

SmallVector<Precision> getPrecisions(ScalarType type) {
  SmallVector<Precision> precisions = {Precision::IEEE};
  for (const PrecisionRow &row : kPrecisions)
    if (row.memory == type && row.precision != Precision::IEEE)
      precisions.push_back(row.precision);
  return precisions;
}

ScalarType getOperandType(ScalarType type, Precision precision) {
  const PrecisionRow &row = getRow(precision);
  return type == row.memory ? row.operand : type;
}

Precision getPrecision(ScalarType operandType) {
  const auto *found = find_if(kPrecisions, [&](const PrecisionRow &row) {
    return row.operand == operandType;
  });
  return found == std::end(kPrecisions) ? Precision::IEEE : found->precision;
}

ScalarType getInstructionSum(ScalarType operandType, ScalarType sum) {
  return operandType == ScalarType::F16Acc16 ? ScalarType::F16 : sum;
}

const SplitInfo *getSplit(ScalarType operandType) {
  return isSplitType(operandType) ? &getRow(getPrecision(operandType)).split
                                  : nullptr;
}

int64_t SplitInfo::getNumParts() const {
  unsigned last = 0;
  for (PartProduct product : products)
    last = std::max({last, product.a, product.b});
  return int64_t(last) + 1;
}

int64_t getNumProducts(ScalarType operandType) {
  const SplitInfo *split = getSplit(operandType);
  return split ? split->getNumProducts() : 1;
}

int64_t getNumParts(ScalarType operandType) {
  const SplitInfo *split = getSplit(operandType);
  return split ? split->getNumParts() : 1;
}

double getSumError(ScalarType a, ScalarType b, ScalarType accumulator,
                   int64_t k) {
  double products = static_cast<double>(k) * getNumProducts(a);
  // Products are added with more bits than f16 has before a sum is rounded.
  double perRounding =
      getInstructionSum(a, accumulator) == ScalarType::F16 ? 16 : 4;
  const SplitInfo *split = getSplit(a);
  return getAccumulationError(a, b, accumulator) *
             (16 + products / perRounding) +
         (split ? split->error : 0);
}

} // namespace tcgemm
