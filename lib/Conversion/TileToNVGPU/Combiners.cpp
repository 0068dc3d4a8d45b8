//===- Combiners.cpp - Combinations of values of a reduction --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

Value tcgemm::createNeutral(IntegerBuilder &b, Combiner combiner, Type type) {
  ScalarConstant neutral = getNeutral(combiner, *getScalarType(type));
  if (auto *integer = std::get_if<int64_t>(&neutral))
    return b.create<arith::ConstantOp>(b.getIntegerAttr(type, *integer));
  return b.create<arith::ConstantOp>(
      b.getFloatAttr(type, std::get<double>(neutral)));
}

Value tcgemm::createCombination(IntegerBuilder &b, Combiner combiner, Value x,
                                Value y) {
  // A combiner has the name of its operation.
  OperationState state(b.getLoc(),
                       ("arith." + getCombinerName(combiner)).str());
  state.addOperands({x, y});
  state.addTypes(x.getType());
  return b.OpBuilder::create(state)->getResult(0);
}

Value tcgemm::createCombination(IntegerBuilder &b, Combiner combiner,
                                SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(createCombination(b, combiner, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}
