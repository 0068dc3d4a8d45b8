//===- RowAccumulator.cpp - Accumulators of neighbours in a row -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAccumulator.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<Type> RowAccumulator::expand(AccType type) {
  return SmallVector<Type>(type.getColumns(), type.getElementType());
}

AccView RowAccumulator::view(EpilogueOp op, bool withValues) {
  AccType type = op.getAcc().getType();
  AccView view;
  view.rows.push_back(one(op.getM()));
  for (int64_t column = 0; column < type.getColumns(); ++column)
    view.columns.push_back(b.add(one(op.getN()), column));
  if (withValues)
    llvm::append_range(view.values, all(op.getAcc()));
  if (withValues && op.getSecond())
    llvm::append_range(view.seconds, all(op.getSecond()));
  // Segments of several columns start at multiples of their number.
  view.run = type.getColumns();
  return view;
}
