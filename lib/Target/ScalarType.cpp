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
  llvm::StringRef name;
  unsigned bits;
  bool isFloat;
};

// In the order of the enumeration: rows are found by index.
constexpr TypeRow kTypes[] = {{ScalarType::I1, "i1", 1, false},
                              {ScalarType::I8, "i8", 8, false},
                              {ScalarType::I16, "i16", 16, false},
                              {ScalarType::I32, "i32", 32, false},
                              {ScalarType::I64, "i64", 64, false},
                              {ScalarType::Index, "index", 64, false},
                              {ScalarType::F16, "f16", 16, true},
                              {ScalarType::BF16, "bf16", 16, true},
                              {ScalarType::F32, "f32", 32, true},
                              {ScalarType::F64, "f64", 64, true}};
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

bool tcgemm::isFloatType(ScalarType type) { return getRow(type).isFloat; }

unsigned tcgemm::getBitWidth(ScalarType type) { return getRow(type).bits; }

unsigned tcgemm::getByteSize(ScalarType type) {
  return (getRow(type).bits + 7) / 8;
}
