//===- ElementTypes.cpp - MLIR's element types as ScalarType --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/ElementTypes.h"

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
  return parseScalarType(getTypeText(type));
}

Type getElementType(ScalarType type, MLIRContext *context) {
  return parseType(getTypeName(type), context);
}

Type getStorageType(Type type) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(type.getContext(), 8);
  return getBufferType(type);
}

int64_t getStorageBits(Type type) {
  return getStorageType(type).getIntOrFloatBitWidth();
}

Type getBufferType(Type type) {
  if (type.isUnsignedInteger(8))
    return IntegerType::get(type.getContext(), 8);
  return type.isTF32() ? Type(Float32Type::get(type.getContext())) : type;
}

} // namespace tcgemm
