//===- ElementTypes.cpp - MLIR's element types as ScalarType --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Dialect/EpilogueTypes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tcgemm {

std::string getTypeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<ScalarType> getScalarType(Type type) {
  if (auto precise = dyn_cast<PrecisionType>(type))
    return precise.getScalar();
  if (auto interleaved = dyn_cast<InterleavedType>(type))
    return interleaved.getScalar();
  return parseScalarType(getTypeText(type));
}

Type getElementType(ScalarType type, MLIRContext *context) {
  if (PrecisionType::has(type))
    return PrecisionType::get(context, type);
  if (isInterleaved(type))
    return InterleavedType::get(context, type);
  return parseType(getTypeName(type), context);
}

bool hasPrecision(Type type, Precision precision) {
  // Products of complex numbers multiply their components.
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  std::optional<ScalarType> scalar = getScalarType(type);
  return scalar && getOperandType(*scalar, precision) != *scalar;
}

Type getStorageType(Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  if (bits == 8 || getPackedElements(type) > 1)
    return IntegerType::get(type.getContext(), 8);
  return getBufferType(type);
}

int64_t getStorageBits(Type type) {
  return getStorageType(type).getIntOrFloatBitWidth();
}

int64_t getElementBits(Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  return scalar ? getBitWidth(*scalar) : getStorageBits(type);
}

int64_t getPackedElements(Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  return scalar ? getPackedElements(*scalar) : 1;
}

Type getPartType(Type type) {
  if (auto precise = dyn_cast<PrecisionType>(type))
    return getElementType(getPartType(precise.getScalar()), type.getContext());
  return type;
}

Type getBufferType(Type type) {
  if (type.isUnsignedInteger(8) || type.isUnsignedInteger(4) ||
      type.isUnsignedInteger(1))
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  if (type.isTF32())
    return Float32Type::get(type.getContext());
  if (isa<PrecisionType, InterleavedType>(type))
    return getElementType(getBufferType(*getScalarType(type)),
                          type.getContext());
  return type;
}

static bool isEpilogueScalar(ScalarType type) {
  return getBufferType(type) == type && getPackedElements(type) == 1;
}

bool isEpilogueType(Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  return scalar && isEpilogueScalar(*scalar);
}

int64_t getEpilogueBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::string listEpilogueTypes() {
  std::string names;
  for (int i = 0; i <= int(kLastScalarType); ++i)
    if (isEpilogueScalar(ScalarType(i)))
      names += (names.empty() ? "" : ", ") + getTypeName(ScalarType(i)).str();
  return names;
}

std::optional<ScalarType> getMatrixScalar(Type type) {
  return type.isSignlessInteger(1) ? ScalarType::U1 : getScalarType(type);
}

} // namespace tcgemm
