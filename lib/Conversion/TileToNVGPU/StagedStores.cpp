//===- StagedStores.cpp - Stores through staging memory -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedStores.h"
#include "ControlFlow.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

StagedStores::StagedStores(LoweringContext &c, EpilogueOp op, unsigned buffer,
                           const AccView &view)
    : EpilogueAccess(c, op), buffer(buffer), view(view),
      element(getElementType(buffer)),
      vector(128 / element.getIntOrFloatBitWidth()),
      columns(op.getAcc().getType().getColumns()), pitch(columns + vector) {
  // Each warp's share is as large for every output, so that the warps, which
  // wait for nobody, never meet.
  int64_t warps = analysis.getProgram().getThreads() / 32;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t perWarp = *op.getStaging() / warps / bytes;
  memory = createSharedView(b, element, warps * perWarp);
  lane = c.laneId();
  origin = b.mul(c.warpId(), perWarp);
}

Value StagedStores::getStagedIndex(Value row, Value column) {
  return b.index(b.add(origin, b.add(b.mul(row, pitch), column)));
}

/// Writes what the thread holds to the staging memory.
void StagedStores::write(ValueRange results) {
  Value own = b.add(b.add(origin, b.mul(b.divU(lane, 4), pitch)),
                    b.mul(b.remU(lane, 4), 2));
  auto pairType = VectorType::get({2}, element);
  for (size_t i = 0; i < results.size(); i += 2) {
    int64_t row = i / view.columns.size() * 8,
            column = i % view.columns.size() / 2 * 8;
    Value pair = b.create<vector::FromElementsOp>(
        pairType, ValueRange{results[i], results[i + 1]});
    b.create<vector::StoreOp>(pair, memory,
                              createIndex(b, own, row * pitch + column));
  }
}

/// Stores a run of 16 bytes.
void StagedStores::storeRun(int64_t pass) {
  int64_t runs = columns / vector, total = 16 * runs;
  Value run = b.add(lane, pass * 32);
  Value row = b.divU(run, runs), column = b.mul(b.remU(run, runs), vector);
  Value m = b.add(m0, row), n = b.add(n0, column);
  Value exists = isInside(m, n);
  if ((pass + 1) * 32 > total)
    exists = b.bitAnd(exists, b.lessU(run, b.i32(total)));
  buildIf(b, exists, [&] {
    Value loaded =
        b.create<vector::LoadOp>(VectorType::get({vector}, element), memory,
                                 getStagedIndex(row, column));
    b.create<vector::StoreOp>(loaded, getBuffer(buffer),
                              getIndex(buffer, m, n));
  });
}

void StagedStores::storeRuns() {
  int64_t total = 16 * (columns / vector);
  for (int64_t pass = 0; pass * 32 < total; ++pass)
    storeRun(pass);
}

void StagedStores::storeElement(Value number) {
  Value row = b.divU(number, columns), column = b.remU(number, columns);
  Value m = b.add(m0, row), n = b.add(n0, column);
  buildIf(b, isInside(m, n), [&] {
    Value loaded =
        b.create<memref::LoadOp>(memory, getStagedIndex(row, column));
    b.create<memref::StoreOp>(loaded, getBuffer(buffer),
                              getIndex(buffer, m, n));
  });
}

/// Neighbouring lanes store neighbouring elements. A loop keeps the code small,
/// some of it unrolled keeps several stores in flight.
void StagedStores::storeElements() {
  constexpr int64_t unroll = 8;
  auto loop =
      b.create<scf::ForOp>(lane, b.i32(16 * columns), b.i32(32 * unroll));
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  for (int64_t copy = 0; copy < unroll; ++copy)
    storeElement(b.add(loop.getInductionVar(), copy * 32));
}

void StagedStores::store(ValueRange results, bool isLast) {
  write(results);
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  m0 = b.sub(view.rows.front(), b.divU(lane, 4));
  n0 = one(op.getN());
  buildIfElse(
      b, canStoreRuns(buffer, vector), [&] { storeRuns(); },
      [&] { storeElements(); });
  // The next slice overwrites what lanes may still read.
  if (!isLast)
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
}
