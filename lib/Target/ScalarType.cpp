//===- ScalarType.cpp - Element types of kernels --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and sizes of the element types, in one table.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/ScalarType.h"

using namespace tcgemm;

namespace {
struct TypeRow {
  ScalarType type;
  llvm::StringRef name, ptxName;
  unsigned bits;
  bool isFloat;
};

// In the order of the enumeration: rows are found by index.
constexpr TypeRow kTypes[] = {{ScalarType::I1, "i1", "b1", 1, false},
                              {ScalarType::I8, "i8", "s8", 8, false},
                              {ScalarType::I16, "i16", "s16", 16, false},
                              {ScalarType::I32, "i32", "s32", 32, false},
                              {ScalarType::I64, "i64", "s64", 64, false},
                              {ScalarType::Index, "index", "s64", 64, false},
                              {ScalarType::F16, "f16", "f16", 16, true},
                              {ScalarType::BF16, "bf16", "bf16", 16, true},
                              {ScalarType::F32, "f32", "f32", 32, true},
                              {ScalarType::F64, "f64", "f64", 64, true},
                              {ScalarType::U8, "ui8", "u8", 8, false},
                              {ScalarType::E4M3, "f8E4M3FN", "e4m3", 8, true},
                              {ScalarType::E5M2, "f8E5M2", "e5m2", 8, true},
                              {ScalarType::TF32, "tf32", "tf32", 32, true}};
} // namespace

static const TypeRow &getRow(ScalarType type) {
  return kTypes[static_cast<unsigned>(type)];
}

llvm::StringRef tcgemm::getTypeName(ScalarType type) {
  return getRow(type).name;
}

std::optional<ScalarType> tcgemm::parseScalarType(llvm::StringRef name) {
  for (const TypeRow &row : kTypes)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

llvm::StringRef tcgemm::getPtxTypeName(ScalarType type) {
  return getRow(type).ptxName;
}

std::optional<ScalarType> tcgemm::parseOperandType(llvm::StringRef name) {
  for (const TypeRow &row : kTypes)
    if (row.ptxName == name && row.type != ScalarType::Index)
      return row.type;
  return parseScalarType(name);
}

bool tcgemm::isFloatType(ScalarType type) { return getRow(type).isFloat; }

ScalarType tcgemm::getBufferType(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return ScalarType::I8;
  case ScalarType::TF32:
    return ScalarType::F32;
  default:
    return type;
  }
}

unsigned tcgemm::getBitWidth(ScalarType type) { return getRow(type).bits; }

unsigned tcgemm::getByteSize(ScalarType type) {
  return (getRow(type).bits + 7) / 8;
}
