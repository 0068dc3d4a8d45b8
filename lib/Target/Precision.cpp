//===- Precision.cpp - Precisions of f32 products -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Precision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

namespace {
struct PrecisionRow {
  Precision precision;
  StringLiteral name;
  ScalarType operand; // of operands that are f32 in memory
};

// In the order of the enumeration: rows are found by index.
constexpr PrecisionRow kPrecisions[] = {
    {Precision::IEEE, "ieee", ScalarType::F32},
    {Precision::TF32, "tf32", ScalarType::TF32}};
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

ScalarType getOperandType(ScalarType type, Precision precision) {
  return type == ScalarType::F32 ? getRow(precision).operand : type;
}

Precision getPrecision(ScalarType operandType) {
  const auto *found = find_if(kPrecisions, [&](const PrecisionRow &row) {
    return row.operand == operandType;
  });
  return found == std::end(kPrecisions) ? Precision::IEEE : found->precision;
}

} // namespace tcgemm
