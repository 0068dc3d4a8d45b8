//===- DirectStores.cpp - Stores of slices by warps -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectStores.h"
#include "ControlFlow.h"
#include "StagedStores.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

void DirectStores::storeEach(unsigned buffer, const AccView &view,
                             ValueRange results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    Value m = view.rows[i / view.columns.size()],
          n = view.columns[i % view.columns.size()];
    buildIf(b, isInside(m, n), [&, result = result] {
      b.create<memref::StoreOp>(result, getBuffer(buffer),
                                getIndex(buffer, m, n), isStreamed(buffer));
    });
  }
}

void DirectStores::storeRuns(unsigned buffer, const AccView &view,
                             ValueRange results) {
  auto type = VectorType::get({view.run}, results.front().getType());
  for (size_t i = 0; i < results.size(); i += view.run) {
    Value vector =
        b.create<vector::FromElementsOp>(type, results.slice(i, view.run));
    Value index = getIndex(buffer, view.rows[i / view.columns.size()],
                           view.columns[i % view.columns.size()]);
    b.create<vector::StoreOp>(vector, getBuffer(buffer), index,
                              isStreamed(buffer));
  }
}

void DirectStores::store(unsigned output, const AccView &view,
                         ValueRange results, Value whole, bool isLast) {
  unsigned buffer = op.getInputs().size() + output;
  Value hasRuns = view.run > 1 ? isVectorizable(buffer, view.run) : Value();
  if (!hasRuns)
    return storeEach(buffer, view, results);
  auto layout = createAccumulator(c, op.getAcc().getType().getLayout());
  if (op.getStaging() && layout->storesThroughStaging())
    return StagedStores(c, op, buffer, view).store(results, isLast);
  buildIfElse(
      b, b.bitAnd(hasRuns, whole), [&] { storeRuns(buffer, view, results); },
      [&] { storeEach(buffer, view, results); });
}
