//===- TileLoweringBoxes.cpp - Boxes that threads store ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp reads back from a staging tile what it wrote there itself, 16 rows or
// 16 columns of the box, and so waits for no other warp. Its lanes store
// neighbouring runs of a row: of 16 bytes if the output's rows allow that, else
// of 4 or of an element.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// Stores the `run`-th of the warp's runs of `bytes` bytes, row by row.
void TileLowering::storeBoxRun(EpilogueOp op, unsigned output,
                               const BoxPlace &at, Value run, int64_t bytes) {
  constexpr int64_t pieceBytes = 16;
  TileType box = op.getBox(output);
  Type element = box.getElementType();
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t perPiece = pieceBytes / bytes, perRow = at.pieces * perPiece;
  Value row = b.add(at.firstRow, b.divU(run, perRow)),
        inRow = b.remU(run, perRow);
  Value piece = b.add(at.firstPiece, b.divU(inRow, perPiece));
  Value inPiece = b.mul(b.remU(inRow, perPiece), bytes);
  Value m = b.add(at.m, row);
  Value n = b.add(at.n, b.add(b.mul(piece, pieceBytes / elementBytes),
                              b.divU(inPiece, elementBytes)));
  auto guard =
      b.create<scf::IfOp>(isInside(op, m, n), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value from = sharedAddress(
      b.add(b.add(at.start, swizzledPlace(box, row, piece)), inPiece),
      layout.staging.lookup(role));
  unsigned buffer = op.getInputs().size() + output;
  Value address = b.index(epilogueAddress(op, buffer, m, n));
  if (bytes == elementBytes) {
    Value loaded = b.create<LLVM::LoadOp>(element, from, bytes);
    b.create<memref::StoreOp>(loaded, getBuffer(op, buffer), address);
    return;
  }
  auto type = VectorType::get({bytes / elementBytes}, element);
  Value loaded = b.create<LLVM::LoadOp>(type, from, bytes);
  b.create<vector::StoreOp>(loaded, getBuffer(op, buffer), address);
}

/// Stores all runs of `bytes` bytes that the warp has, some at a time: a loop
/// keeps the code small, and several stores are in flight.
void TileLowering::storeBoxRuns(EpilogueOp op, unsigned output,
                                const BoxPlace &at, int64_t bytes) {
  constexpr int64_t lanes = 32, atATime = 4;
  int64_t total = at.rows * at.pieces * (16 / bytes);
  int64_t passes = llvm::divideCeil(total, lanes);
  auto storePasses = [&](Value first, int64_t count) {
    for (int64_t pass = 0; pass < count; ++pass) {
      Value run = b.add(first, pass * lanes);
      OpBuilder::InsertionGuard scope(b);
      if (total % (lanes * count)) {
        auto guard = b.create<scf::IfOp>(
            b.cmp(arith::CmpIPredicate::ult, run, b.i32(total)),
            /*withElseRegion=*/false);
        b.setInsertionPointToStart(guard.thenBlock());
      }
      storeBoxRun(op, output, at, run, bytes);
    }
  };
  if (passes <= atATime)
    return storePasses(laneId(), passes);
  auto loop = createRolledLoop(llvm::divideCeil(passes, atATime), {});
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  storePasses(b.add(laneId(), b.mul(loop.getInductionVar(), lanes * atATime)),
              atATime);
}

void TileLowering::storeBoxByThreads(EpilogueOp op, unsigned output,
                                     const Part &part, ValueRange results,
                                     int64_t first) {
  TileType box = op.getBox(output);
  bool transposed = op.getTransposed();
  int64_t groups = role.getNumWarps() / 4;
  Value inGroup = b.remU(warp, 4);
  int64_t perGroup = int64_t(*op.getStaging()) / groups;
  BoxPlace at;
  at.start = b.mul(roleGroup(), perGroup);
  // A warp's rows lie at the same bytes for every output, or warps that do not
  // wait for each other would meet there. (Turned boxes are all the same.)
  if (!transposed)
    at.start =
        b.add(at.start, b.mul(inGroup, perGroup / 4 - 16 * box.getRowBytes()));
  at.rows = transposed ? box.getRows() : 16;
  at.pieces = transposed ? 2 : box.getRowBytes() / 16;
  at.firstRow = transposed ? b.i32(0) : b.mul(inGroup, 16);
  at.firstPiece = transposed ? b.mul(inGroup, 2) : b.i32(0);
  at.m = b.add(one(op.getM()), part.row);
  at.n = b.add(one(op.getN()), b.add(part.column, first));
  // Lanes may still read what is there.
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  writeBox(op, box, part.view, results, first, at.start);
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  int64_t elementBytes = box.getElementType().getIntOrFloatBitWidth() / 8;
  unsigned buffer = op.getInputs().size() + output;
  auto canStore = [&](int64_t bytes) {
    return canStoreRuns(op, buffer, bytes / elementBytes);
  };
  auto store = [&](int64_t bytes) {
    storeBoxRuns(op, output, at, bytes);
    return SmallVector<Value>();
  };
  auto storeShort = [&] {
    if (elementBytes == 4)
      return store(4);
    choose(
        canStore(4), {}, [&] { return store(4); },
        [&] { return store(elementBytes); });
    return SmallVector<Value>();
  };
  choose(canStore(16), {}, [&] { return store(16); }, storeShort);
}
