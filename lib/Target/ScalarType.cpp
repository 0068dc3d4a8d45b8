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
using T = ScalarType;

struct TypeRow {
  T type;
  llvm::StringRef name, ptxName;
  unsigned bits;
  bool isFloat;
  T buffer, part;
};

constexpr TypeRow getPlainRow(T type, llvm::StringRef name,
                              llvm::StringRef ptxName, unsigned bits,
                              bool isFloat) {
  return {type, name, ptxName, bits, isFloat, type, type};
}
/// Operands that are f32 in memory and split into parts.
constexpr TypeRow getSplitRow(T type, llvm::StringRef name, T part) {
  return {type, name, name, 32, true, T::F32, part};
}

// In the order of the enumeration: rows are found by index.
constexpr TypeRow kTypes[] = {
    getPlainRow(T::I1, "i1", "pred", 1, false),
    getPlainRow(T::I8, "i8", "s8", 8, false),
    getPlainRow(T::I16, "i16", "s16", 16, false),
    getPlainRow(T::I32, "i32", "s32", 32, false),
    getPlainRow(T::I64, "i64", "s64", 64, false),
    getPlainRow(T::Index, "index", "s64", 64, false),
    getPlainRow(T::F16, "f16", "f16", 16, true),
    getPlainRow(T::BF16, "bf16", "bf16", 16, true),
    getPlainRow(T::F32, "f32", "f32", 32, true),
    getPlainRow(T::F64, "f64", "f64", 64, true),
    {T::U8, "ui8", "u8", 8, false, T::I8, T::U8},
    getPlainRow(T::E4M3, "f8E4M3FN", "e4m3", 8, true),
    getPlainRow(T::E5M2, "f8E5M2", "e5m2", 8, true),
    {T::TF32, "tf32", "tf32", 32, true, T::F32, T::TF32},
    getSplitRow(T::TF32X3, "tf32x3", T::TF32),
    getSplitRow(T::BF16X3, "bf16x3", T::BF16),
    getSplitRow(T::BF16X6, "bf16x6", T::BF16),
    {T::F16Acc16, "f16acc16", "f16acc16", 16, true, T::F16, T::F16},
    getPlainRow(T::I4, "i4", "s4", 4, false),
    {T::U4, "ui4", "u4", 4, false, T::I4, T::U4},
    {T::U1, "ui1", "b1", 1, false, T::I1, T::U1},
    {T::I4Interleaved, "s4i", "s4i", 4, false, T::I4, T::I4Interleaved},
    {T::U4Interleaved, "u4i", "u4i", 4, false, T::I4, T::U4Interleaved}};
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

ScalarType tcgemm::getTypeInOrder(ScalarType type) {
  return type == T::I4Interleaved   ? T::I4
         : type == T::U4Interleaved ? T::U4
                                    : type;
}

std::optional<ScalarType> tcgemm::getInterleavedType(ScalarType type) {
  for (T interleaved : {T::I4Interleaved, T::U4Interleaved})
    if (getTypeInOrder(interleaved) == type)
      return interleaved;
  return std::nullopt;
}

ScalarType tcgemm::getBufferType(ScalarType type) {
  return getRow(type).buffer;
}

ScalarType tcgemm::getPartType(ScalarType type) { return getRow(type).part; }

unsigned tcgemm::getBitWidth(ScalarType type) { return getRow(type).bits; }

unsigned tcgemm::getByteSize(ScalarType type) {
  return (getRow(type).bits + 7) / 8;
}

int64_t tcgemm::getPackedElements(ScalarType type) {
  // A byte of a buffer of i1 has one element.
  return type == ScalarType::I1 || getRow(type).bits >= 8
             ? 1
             : 8 / getRow(type).bits;
}

int64_t tcgemm::getRowUnit(ScalarType type) {
  return isInterleaved(type) ? kInterleavedDepth : getPackedElements(type);
}

int64_t tcgemm::getByteOffset(ScalarType type, int64_t element) {
  return element / getPackedElements(type) * getByteSize(type);
}

int64_t tcgemm::getByteCount(ScalarType type, int64_t elements) {
  int64_t packed = getPackedElements(type);
  return (elements + packed - 1) / packed * getByteSize(type);
}
