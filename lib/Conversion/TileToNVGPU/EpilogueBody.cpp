//===- EpilogueBody.cpp - Evaluates the body of an epilogue ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueBody.h"
#include "EpilogueInputs.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tcgemm;

/// The value as a type of the same size. Memory holds FP8 as i8.
Value EpilogueBody::castBits(Type type, Value value) {
  if (value.getType() == type)
    return value;
  return b.create<arith::BitcastOp>(type, value);
}

Values EpilogueBody::evaluate(ValueRange sums, ValueRange inputs, Value m,
                              Value n) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  for (auto [argument, sum] : llvm::zip(body.getArguments(), sums))
    mapping.map(argument, sum);
  auto arguments = body.getArguments().drop_front(sums.size());
  for (auto [argument, source] : llvm::zip(arguments, op.getArgumentOrder()))
    mapping.map(argument,
                castBits(argument.getType(),
                         source < 0 ? one(op.getScalars()[-1 - source])
                                    : inputs[source]));
  for (Operation &inner : body.without_terminator()) {
    auto coordinate = dyn_cast<IndexOp>(inner);
    if (!coordinate) {
      b.clone(inner, mapping);
      continue;
    }
    Value source = coordinate.getDim() == "b"   ? one(op.getBatch())
                   : coordinate.getDim() == "m" ? m
                                                : n;
    mapping.map(coordinate.getResult(), b.index(source));
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(), [&](Value value) {
        return castBits(getStorageType(value.getType()), mapping.lookup(value));
      });
}

SmallVector<Values> EpilogueBody::evaluate(const AccView &slice,
                                           ArrayRef<Values> inputs) {
  auto layout = createAccumulator(c, op.getAcc().getType().getLayout());
  EpilogueInputs access(c, op);
  AccView view = layout->prepareSums(op, slice);
  size_t columns = view.columns.size();
  SmallVector<Values> results(
      op.getBody().front().getTerminator()->getNumOperands());
  for (size_t i = 0; i < view.values.size(); ++i) {
    size_t row = i / columns, column = i % columns;
    Values elements;
    for (auto [input, loaded] : llvm::enumerate(inputs))
      elements.push_back(access.getElement(input, loaded, view, row, column));
    Values sums{view.values[i]};
    if (!view.seconds.empty())
      sums.push_back(view.seconds[i]);
    Values yielded =
        evaluate(sums, elements, view.rows[row], view.columns[column]);
    for (auto [list, value] : llvm::zip_equal(results, yielded))
      list.push_back(value);
  }
  for (Values &list : MutableArrayRef(results).take_front(op.getNumStored()))
    layout->finishResults(op, columns, list);
  return results;
}
