//===- BoxStores.cpp - Stores of boxes, by TMA ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxStores.h"
#include "ControlFlow.h"
#include "MBarriers.h"
#include "Roles.h"
#include "ThreadBoxStores.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

/// The starts of chunks of `size` in `extent`.
static SmallVector<int64_t> getStarts(int64_t extent, int64_t size) {
  SmallVector<int64_t> starts;
  for (int64_t start = 0; start + size <= extent; start += size)
    starts.push_back(start);
  if (extent % size)
    starts.push_back(extent - size);
  return starts;
}

SliceGrid BoxStores::cut() {
  AccType acc = op.getAcc().getType();
  bool transposed = op.getTransposed();
  int64_t rows = transposed ? acc.getColumns() : acc.getRows();
  int64_t columns = transposed ? acc.getRows() : acc.getColumns();
  SliceGrid grid;
  grid.numRows = 64, grid.numColumns = 8;
  for (size_t output = 0; output < op.getNumStored(); ++output) {
    grid.numRows = std::min(grid.numRows, op.getBox(output).getRows());
    grid.numColumns = std::max(grid.numColumns, op.getBox(output).getColumns());
  }
  // A thread has 2 of 64 rows of the instruction, and 2 of 8 columns.
  grid.heldRows = transposed ? grid.numRows / 4 : 2;
  grid.heldColumns = transposed ? 2 : grid.numColumns / 4;
  grid.rows = getStarts(rows, grid.numRows);
  grid.columns = getStarts(columns, grid.numColumns);
  return grid;
}

/// Every epilogue starts with the first buffer. If the one before did not end
/// with the last one, a buffer is reused earlier than storeByTma waits for. The
/// one before is that of the tile before, or another one of the role.
void BoxStores::awaitBuffers(int64_t numBoxes) {
  bool isRepeated = op->getParentOfType<LoopLikeOpInterface>() &&
                    numBoxes % op.getBuffers() != 0;
  if (analysis.getNumEpilogues(op) < 2 && !isRepeated)
    return;
  buildIf(b, b.equal(c.warpInGroup(), b.i32(0)),
          [&] { b.create<NVVM::CpAsyncBulkWaitGroupOp>(0, b.getUnitAttr()); });
}

void BoxStores::store() {
  bool byTma = !op.getMaps().empty();
  SliceGrid grid = cut();
  SmallVector<SmallVector<int64_t>> starts;
  int64_t perSlice = 0;
  for (size_t output = 0; output < op.getNumStored(); ++output) {
    starts.push_back(
        getStarts(grid.numColumns, op.getBox(output).getColumns()));
    perSlice += starts.back().size();
  }
  if (byTma)
    awaitBuffers(grid.rows.size() * grid.columns.size() * perSlice);
  auto storeSlice = [&](const Slice &slice, ArrayRef<Values> results) {
    Value box = b.mul(slice.number, perSlice);
    for (auto [output, list] : llvm::enumerate(results))
      for (int64_t start : starts[output]) {
        if (byTma)
          storeByTma(output, slice, list, start, box);
        else
          ThreadBoxStores(c, op, output).store(slice, list, start);
        box = b.add(box, 1);
      }
  };
  auto layout = createAccumulator(c, op.getAcc().getType().getLayout());
  AccView view = layout->view(op);
  EpilogueSlices(c, op).store(view, grid, isWhole(), storeSlice);
}

/// Waits for the warpgroup's threads. Barrier 0 is the CTA's.
void BoxStores::syncGroup() {
  b.create<NVVM::BarrierOp>(Type(), b.add(b.divU(c.uniformWarpId(), 4), 1),
                            b.i32(128), NVVM::BarrierReductionAttr(), Value());
}

/// Issues the store of the box at `start` of the staging memory.
void BoxStores::issueStore(unsigned output, const Slice &slice, int64_t first,
                           Value start) {
  Values coordinates;
  for (char dim : llvm::reverse(getDims(op.getInputs().size() + output)))
    coordinates.push_back(
        dim == 'm' ? b.add(one(op.getM()), slice.row)
        : dim == 'n'
            ? b.add(one(op.getN()), b.add(slice.column, first))
            : getOuterCoordinate(c, dim, op.getBatch(), op.getOuter()));
  b.create<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
      createMapAddress(b, one(op.getMaps()[output])), getStagingAddress(start),
      coordinates,
      /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
      /*predicate=*/Value());
}

/// Stores a box of one output, which starts at the column `first` of a slice;
/// boxes take turns with the buffers by their number.
void BoxStores::storeByTma(unsigned output, const Slice &slice,
                           ValueRange results, int64_t first, Value number) {
  Value isFirstWarp = b.equal(c.warpInGroup(), b.i32(0));
  int64_t buffers = op.getBuffers();
  buildIf(b, isFirstWarp, [&] {
    b.create<NVVM::CpAsyncBulkWaitGroupOp>(buffers - 1, b.getUnitAttr());
  });
  syncGroup();
  // Buffers have room for any output's boxes.
  int64_t bufferBytes = 0;
  for (size_t other = 0; other < op.getMaps().size(); ++other)
    bufferBytes = std::max<int64_t>(
        bufferBytes, llvm::alignTo(op.getBox(other).getBytes(), 1024));
  Value buffer =
      b.add(b.mul(getGroupInRole(c, op), buffers), b.remU(number, buffers));
  Value start = b.mul(buffer, bufferBytes);
  writeBox(op.getBox(output), slice.view, results, first, start);
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  syncGroup();
  buildIf(b, isFirstWarp, [&] {
    Value elected = b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
    buildIf(b, elected, [&] { issueStore(output, slice, first, start); });
    // By the whole warp: the group of the others is empty.
    b.create<NVVM::CpAsyncBulkCommitGroupOp>();
  });
}
