//===- ElementTypes.cpp - MLIR's element types as ScalarType --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/ElementTypes.h"

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

Type getAccumulatorType(MLIRContext *context, ScalarType type) {
  if (!isFloatType(type))
    return IntegerType::get(context, getBitWidth(type));
  return type == ScalarType::F64 ? Type(Float64Type::get(context))
                                 : Float32Type::get(context);
}

Type getStorageType(Type type) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(type.getContext(), 8);
  return type;
}

} // namespace tcgemm
