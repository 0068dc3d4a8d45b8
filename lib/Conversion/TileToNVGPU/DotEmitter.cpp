//===- DotEmitter.cpp - The frame of dot products -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of bytes in flight limits such a product. A lane therefore issues
// many loads of the large operand before it uses the first. They are PTX text,
// whose order LLVM preserves, and bypass the L1 cache, which keeps the small
// operand. Loads behind K have predicates: a branch for each would wait for
// each.
//
//===----------------------------------------------------------------------===//

#include "DotEmitter.h"
#include "DotElements.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

Values DotEmitter::adopt(ValueRange carried) {
  for (DotSide &side : sides) {
    Values &list = side.addresses;
    llvm::copy(carried.take_front(list.size()), list.begin());
    carried = carried.drop_front(list.size());
  }
  return Values(carried);
}

Values DotEmitter::emit() { return sumOverWarps(multiplyRows()); }

/// Adds the sums of the warps of a group in their order.
Values DotEmitter::sumOverWarps(ArrayRef<Value> totals) {
  int64_t rows = op.getRows(), count = rows * groupRows;
  int64_t warps = analysis.getProgram().getThreads() / 32;
  int64_t ring = op.getRingBytes() * 8 / sumType.getIntOrFloatBitWidth();
  Value memory = createSharedView(b, sumType, ring + warps * count);
  storeSums(memory, b.add(b.mul(c.warpId(), count), ring), totals);
  b.create<gpu::BarrierOp>();
  int64_t across = groupRows * (warps / slices);
  // Columns of a thread are of one group.
  int64_t each = op.getAcc().getType().getColumns();
  Value thread = b.minU(c.threadId(), b.i32(rows * across / each - 1));
  Value row = b.divU(thread, across / each);
  Value column = b.mul(b.remU(thread, across / each), each);
  Value group = b.divU(column, groupRows);
  Value first = b.add(b.mul(group, slices * count),
                      b.add(b.mul(row, groupRows), b.remU(column, groupRows)));
  Values sums(each);
  for (int64_t slice = 0; slice < slices; ++slice)
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value part = b.create<memref::LoadOp>(
          memory, createIndex(b, first, ring + slice * count + int64_t(i)));
      sum = sum ? addSums(b, sum, part) : part;
    }
  return sums;
}
