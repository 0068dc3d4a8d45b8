//===- InlineAssembly.cpp - PTX text in the program -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<Value> tcgemm::createAssembly(IntegerBuilder &b, StringRef text,
                                          StringRef constraints,
                                          TypeRange types, ValueRange operands,
                                          bool hasSideEffects) {
  SmallVector<Type> result(types);
  if (types.size() > 1)
    result = {LLVM::LLVMStructType::getLiteral(b.getContext(), result)};
  auto assembly = b.create<LLVM::InlineAsmOp>(
      result, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  if (types.size() <= 1)
    return assembly->getResults();
  SmallVector<Value> values;
  for (size_t i = 0; i < types.size(); ++i)
    values.push_back(b.create<LLVM::ExtractValueOp>(assembly.getRes(), i));
  return values;
}

Value tcgemm::createAssembly(IntegerBuilder &b, StringRef text,
                             StringRef constraints, Type type,
                             ValueRange operands, bool hasSideEffects) {
  return createAssembly(b, text, constraints, TypeRange(ArrayRef<Type>(type)),
                        operands, hasSideEffects)
      .front();
}

StringRef tcgemm::getRegisterClass(Type type) {
  if (type.isF64())
    return "d";
  return isa<FloatType>(type) ? "f" : "r";
}

std::string tcgemm::tieRegisters(unsigned count, Type type) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += ("=" + getRegisterClass(type) + ",").str();
  for (unsigned i = 0; i < count; ++i)
    text += std::to_string(i) + ",";
  return text;
}

Value tcgemm::makeOpaque(IntegerBuilder &b, Value value) {
  bool isWide = value.getType().isInteger(64);
  return createAssembly(b, isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                        isWide ? "=l,l" : "=r,r", value.getType(), value);
}

SmallVector<Value> tcgemm::pinRegisters(IntegerBuilder &b, ValueRange values) {
  std::string tied = tieRegisters(values.size(), values.front().getType());
  return createAssembly(b, "", StringRef(tied).drop_back(),
                        llvm::to_vector(values.getTypes()), values);
}
