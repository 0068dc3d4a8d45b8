//===- FragmentMap.cpp - Functions of fragments' elements -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentMap.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Dialect/AlgebraOps.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "tcgemm/Dialect/ElementTypes.h"

using namespace mlir;
using namespace tcgemm;

FragmentMap::FragmentMap(LoweringContext &c, FragmentMapOp op)
    : Lowering(c), op(op), inPairs(hasPairs(op.getBody().front())) {}

Value FragmentMap::apply(Value element) {
  Values arguments{element};
  for (Value scalar : op.getScalars())
    arguments.push_back(one(scalar));
  return inlineElementRegion(b, op.getBody().front(), arguments);
}

/// The value of elements of A (0) or B (1) beyond K.
Value FragmentMap::getPadding(Type type, unsigned operand) {
  Algebra algebra = c.analysis.getProgram().getProductAlgebra();
  if (algebra.isDefault())
    return b.zero(type);
  return b.create<arith::ConstantOp>(
      getConstant(type, algebra.getPadding(*getScalarType(type), operand)));
}

/// The result, or the program's padding for an element whose index is not
/// valid: zero for products that multiply.
Value FragmentMap::keepValid(Value result, ArrayRef<int64_t> position,
                             GetIndex getIndex) {
  if (!op.getValid())
    return result;
  Value isValid =
      b.cmp(arith::CmpIPredicate::slt, getIndex(position), one(op.getValid()));
  unsigned operand = op.getFragment().getType().getRole() == FragmentRole::B;
  return b.select(isValid, result, getPadding(result.getType(), operand));
}

Value FragmentMap::evaluateRow(Value row, int64_t number, GetIndex getIndex) {
  auto type = cast<VectorType>(row.getType());
  bool isPair = inPairs && type.getNumElements() == 2;
  if (isPair)
    row = apply(row);
  if (isPair && !op.getValid())
    return row;
  Values results;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = b.create<vector::ExtractOp>(row, i);
    results.push_back(
        keepValid(isPair ? element : apply(element), {number, i}, getIndex));
  }
  return b.create<vector::FromElementsOp>(type, results);
}

/// A register of wgmma. What is computed from an opaque value stays behind the
/// wait for the products that read the registers before.
Value FragmentMap::evaluateWord(Value word, GetIndex getIndex) {
  auto type =
      VectorType::get({2}, op.getBody().front().getArgument(0).getType());
  Value pair = b.create<LLVM::BitcastOp>(type, makeOpaque(b, word));
  return b.create<LLVM::BitcastOp>(b.getI32Type(),
                                   evaluateRow(pair, 0, getIndex));
}

Value FragmentMap::evaluate(Value value, GetIndex getIndex) {
  if (op.getFragment().getType().getLayout() == AccLayout::Wgmma)
    return evaluateWord(value, getIndex);
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return keepValid(apply(value), {}, getIndex);
  Value result = value;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value row = b.create<vector::ExtractOp>(value, i);
    result = b.create<vector::InsertOp>(evaluateRow(row, i, getIndex), result,
                                        ArrayRef<int64_t>{i});
  }
  return result;
}
