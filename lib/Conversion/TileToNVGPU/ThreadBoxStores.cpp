//===- ThreadBoxStores.cpp - Stores of boxes, by threads ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBoxStores.h"
#include "ControlFlow.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kLanes = 32, kChunkBytes = 16;

ThreadBoxStores::ThreadBoxStores(LoweringContext &c, EpilogueOp op,
                                 unsigned output)
    : BoxWriter(c, op), buffer(op.getInputs().size() + output),
      box(op.getBox(output)),
      elementBytes(box.getElementType().getIntOrFloatBitWidth() / 8) {}

/// Stores the `run`-th of the warp's runs of `bytes` bytes, row by row.
void ThreadBoxStores::storeRun(Value run, int64_t bytes) {
  int64_t perChunk = kChunkBytes / bytes, perRow = chunks * perChunk;
  Value row = b.add(firstRow, b.divU(run, perRow)), inRow = b.remU(run, perRow);
  Value chunk = b.add(firstChunk, b.divU(inRow, perChunk));
  Value inChunk = b.mul(b.remU(inRow, perChunk), bytes);
  Value atM = b.add(m, row);
  Value atN = b.add(n, b.add(b.mul(chunk, kChunkBytes / elementBytes),
                             b.divU(inChunk, elementBytes)));
  buildIf(b, isInside(atM, atN), [&] {
    Value offset = b.add(start, getBoxOffset(b, box, row, chunk));
    Value source = getStagingAddress(b.add(offset, inChunk));
    Value index = getIndex(buffer, atM, atN);
    Type element = box.getElementType();
    if (bytes == elementBytes) {
      Value loaded = b.create<LLVM::LoadOp>(element, source, bytes);
      b.create<memref::StoreOp>(loaded, getBuffer(buffer), index);
      return;
    }
    auto type = VectorType::get({bytes / elementBytes}, element);
    Value loaded = b.create<LLVM::LoadOp>(type, source, bytes);
    b.create<vector::StoreOp>(loaded, getBuffer(buffer), index);
  });
}

/// Stores `count` runs of a lane, the first of which has number `first`.
void ThreadBoxStores::storePasses(Value first, int64_t count, int64_t bytes) {
  int64_t total = rows * chunks * (kChunkBytes / bytes);
  for (int64_t pass = 0; pass < count; ++pass) {
    Value run = b.add(first, pass * kLanes), exists;
    if (total % (kLanes * count))
      exists = b.lessU(run, b.i32(total));
    buildIfGiven(b, exists, [&] { storeRun(run, bytes); });
  }
}

/// Stores all runs of `bytes` bytes that the warp has, some at a time: a loop
/// keeps the code small, and several stores are in flight.
void ThreadBoxStores::storeRuns(int64_t bytes) {
  constexpr int64_t atATime = 4;
  int64_t total = rows * chunks * (kChunkBytes / bytes);
  int64_t passes = llvm::divideCeil(total, kLanes);
  if (passes <= atATime)
    return storePasses(c.laneId(), passes, bytes);
  auto loop = createRolledLoop(b, llvm::divideCeil(passes, atATime), {});
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  storePasses(
      b.add(c.laneId(), b.mul(loop.getInductionVar(), kLanes * atATime)),
      atATime, bytes);
}

void ThreadBoxStores::locate(const Slice &slice, int64_t first) {
  bool transposed = op.getTransposed();
  int64_t groups = analysis.getRole(op).getNumWarps() / 4;
  Value inGroup = c.warpInGroup();
  int64_t perGroup = int64_t(*op.getStaging()) / groups;
  start = b.mul(getGroupInRole(c, op), perGroup);
  // A warp's rows lie at the same bytes for every output, or warps that do not
  // wait for each other would meet there. (Transposed boxes are all the same.)
  if (!transposed)
    start = b.add(start, b.mul(inGroup, perGroup / 4 - 16 * box.getRowBytes()));
  rows = transposed ? box.getRows() : 16;
  chunks = transposed ? 2 : box.getRowBytes() / kChunkBytes;
  firstRow = transposed ? b.i32(0) : b.mul(inGroup, 16);
  firstChunk = transposed ? b.mul(inGroup, 2) : b.i32(0);
  m = b.add(one(op.getM()), slice.row);
  n = b.add(one(op.getN()), b.add(slice.column, first));
}

void ThreadBoxStores::store(const Slice &slice, ValueRange results,
                            int64_t first) {
  locate(slice, first);
  // Lanes may still read what is there.
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  writeBox(box, slice.view, results, first, start);
  b.create<NVVM::SyncWarpOp>(b.i32(-1));
  auto canStore = [&](int64_t bytes) {
    return canStoreRuns(buffer, bytes / elementBytes);
  };
  auto storeShort = [&] {
    if (elementBytes == 4)
      return storeRuns(4);
    buildIfElse(
        b, canStore(4), [&] { storeRuns(4); },
        [&] { storeRuns(elementBytes); });
  };
  buildIfElse(b, canStore(16), [&] { storeRuns(16); }, storeShort);
}
