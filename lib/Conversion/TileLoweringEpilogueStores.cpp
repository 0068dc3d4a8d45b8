//===- TileLoweringEpilogueStores.cpp - Stores of an epilogue -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of a block of the warp's tile: element by element under a predicate,
// in the runs of columns that a thread has, or through shared memory in runs of
// 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

Value TileLowering::isInside(EpilogueOp op, Value m, Value n) {
  return b.bitAnd(b.cmp(arith::CmpIPredicate::ult, m, one(op.getExtentM())),
                  b.cmp(arith::CmpIPredicate::ult, n, one(op.getExtentN())));
}

/// Whether `run` neighbours of a row can be stored at once, also at its end:
/// where N is a multiple of a run, each is inside or outside as a whole.
Value TileLowering::canStoreRuns(EpilogueOp op, unsigned buffer, int64_t run) {
  Value fits = b.cmp(arith::CmpIPredicate::eq,
                     b.remU(one(op.getExtentN()), run), b.i32(0));
  return b.bitAnd(isVectorizable(op, buffer, run), fits);
}

void TileLowering::storeEach(EpilogueOp op, unsigned buffer,
                             const AccView &view, ValueRange results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    Value m = view.rows[i / view.columns.size()],
          n = view.columns[i % view.columns.size()];
    auto guard =
        b.create<scf::IfOp>(isInside(op, m, n), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    b.create<memref::StoreOp>(result, getBuffer(op, buffer),
                              b.index(epilogueAddress(op, buffer, m, n)));
  }
}

void TileLowering::storeRuns(EpilogueOp op, unsigned buffer,
                             const AccView &view, ValueRange results) {
  auto type = VectorType::get({view.run}, results.front().getType());
  for (size_t i = 0; i < results.size(); i += view.run) {
    Value vector =
        b.create<vector::FromElementsOp>(type, results.slice(i, view.run));
    Value address =
        epilogueAddress(op, buffer, view.rows[i / view.columns.size()],
                        view.columns[i % view.columns.size()]);
    b.create<vector::StoreOp>(vector, getBuffer(op, buffer), b.index(address));
  }
}

/// Through shared memory: the warp writes its 16 rows there and stores them to
/// global memory in runs of 16 bytes, so that whole sectors are written.
void TileLowering::storeStaged(EpilogueOp op, unsigned buffer,
                               const AccView &view, ValueRange results,
                               bool isLast) {
  Type element = results.front().getType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8, vector = 16 / bytes;
  AccType acc = op.getAcc().getType();
  int64_t columns = acc.getColumns(), pitch = columns + vector;
  // Each warp's part is as large for every output, so that the warps, which
  // wait for nobody, never meet.
  int64_t warps = program.getThreads() / 32;
  int64_t perWarp = *op.getStaging() / warps / bytes;
  Value memory = sharedAs(element, warps * perWarp);
  Value lane = laneId(), origin = b.mul(b.divU(threadId(), 32), perWarp);
  Value own = b.add(b.add(origin, b.mul(b.divU(lane, 4), pitch)),
                    b.mul(b.remU(lane, 4), 2));
  auto pairType = VectorType::get({2}, element);
  for (size_t i = 0; i < results.size(); i += 2) {
    int64_t row = i / view.columns.size() * 8,
            column = i % view.columns.size() / 2 * 8;
    Value pair = b.create<vector::FromElementsOp>(
        pairType, ValueRange{results[i], results[i + 1]});
    b.create<vector::StoreOp>(pair, memory, indexAt(own, row * pitch + column));
  }
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  Value m0 = b.sub(view.rows.front(), b.divU(lane, 4)), n0 = one(op.getN());
  int64_t runs = columns / vector, total = 16 * runs;
  auto storeRun = [&](int64_t pass) {
    Value run = b.add(lane, pass * 32);
    Value row = b.divU(run, runs), column = b.mul(b.remU(run, runs), vector);
    Value m = b.add(m0, row), n = b.add(n0, column);
    Value present = isInside(op, m, n);
    if ((pass + 1) * 32 > total)
      present = b.bitAnd(present,
                         b.cmp(arith::CmpIPredicate::ult, run, b.i32(total)));
    auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    auto runType = VectorType::get({vector}, element);
    Value loaded = b.create<vector::LoadOp>(
        runType, memory,
        b.index(b.add(origin, b.add(b.mul(row, pitch), column))));
    b.create<vector::StoreOp>(loaded, getBuffer(op, buffer),
                              b.index(epilogueAddress(op, buffer, m, n)));
  };
  auto storeRuns = [&] {
    for (int64_t pass = 0; pass * 32 < total; ++pass)
      storeRun(pass);
    return SmallVector<Value>();
  };
  // Neighbouring lanes store neighbouring elements; a loop keeps the code
  // small, some of it unrolled keeps several stores in flight.
  constexpr int64_t unroll = 8;
  auto storeElements = [&] {
    auto loop =
        b.create<scf::ForOp>(lane, b.i32(16 * columns), b.i32(32 * unroll));
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    for (int64_t copy = 0; copy < unroll; ++copy) {
      Value element = b.add(loop.getInductionVar(), copy * 32);
      Value row = b.divU(element, columns), column = b.remU(element, columns);
      Value m = b.add(m0, row), n = b.add(n0, column);
      auto guard =
          b.create<scf::IfOp>(isInside(op, m, n), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(guard.thenBlock());
      Value loaded = b.create<memref::LoadOp>(
          memory, b.index(b.add(origin, b.add(b.mul(row, pitch), column))));
      b.create<memref::StoreOp>(loaded, getBuffer(op, buffer),
                                b.index(epilogueAddress(op, buffer, m, n)));
    }
    return SmallVector<Value>();
  };
  choose(canStoreRuns(op, buffer, vector), {}, storeRuns, storeElements);
  // The next block overwrites what lanes may still read.
  if (!isLast)
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
}

void TileLowering::storeBlock(EpilogueOp op, unsigned output,
                              const AccView &view, ValueRange results,
                              Value whole, bool isLast) {
  unsigned buffer = op.getInputs().size() + output;
  Value hasRuns = view.run > 1 ? isVectorizable(op, buffer, view.run) : Value();
  if (!hasRuns)
    return storeEach(op, buffer, view, results);
  if (op.getStaging() &&
      op.getAcc().getType().getLayout() == AccLayout::MmaSync)
    return storeStaged(op, buffer, view, results, isLast);
  choose(
      b.bitAnd(hasRuns, whole), {},
      [&] {
        return storeRuns(op, buffer, view, results), SmallVector<Value>();
      },
      [&] {
        return storeEach(op, buffer, view, results), SmallVector<Value>();
      });
}
