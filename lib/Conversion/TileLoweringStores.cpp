//===- TileLoweringStores.cpp - Epilogues that store boxes -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup's accumulator goes out in chunks of at most 64 x 64: evaluated,
// written to a staging tile in TMA's swizzled layout, and stored, by TMA while
// the next chunk is evaluated, or by the threads that wrote it
// (TileLoweringBoxes.cpp). The last chunk of a row may overlap its neighbour,
// so that any multiple of 8 columns will do.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// Where chunks of `size` start in `extent`.
static SmallVector<int64_t> getStarts(int64_t extent, int64_t size) {
  SmallVector<int64_t> starts;
  for (int64_t start = 0; start + size <= extent; start += size)
    starts.push_back(start);
  if (extent % size)
    starts.push_back(extent - size);
  return starts;
}

static void buildIf(IntegerBuilder &b, Value condition,
                    llvm::function_ref<void()> build) {
  auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  build();
}

/// The parts that go out as boxes.
PartGrid TileLowering::cutBoxes(EpilogueOp op) {
  AccType acc = op.getAcc().getType();
  bool transposed = op.getTransposed();
  int64_t rows = transposed ? acc.getColumns() : acc.getRows();
  int64_t columns = transposed ? acc.getRows() : acc.getColumns();
  PartGrid grid;
  grid.numRows = 64, grid.numColumns = 8;
  for (size_t output = 0; output < op.getNumStored(); ++output) {
    grid.numRows = std::min(grid.numRows, op.getBox(output).getRows());
    grid.numColumns = std::max(grid.numColumns, op.getBox(output).getColumns());
  }
  // Of 64 rows of the instruction a thread has 2, of 8 columns also 2.
  grid.heldRows = transposed ? grid.numRows / 4 : 2;
  grid.heldColumns = transposed ? 2 : grid.numColumns / 4;
  grid.rows = getStarts(rows, grid.numRows);
  grid.columns = getStarts(columns, grid.numColumns);
  return grid;
}

void TileLowering::storeBoxes(EpilogueOp op) {
  bool byTma = !op.getMaps().empty();
  PartGrid grid = cutBoxes(op);
  SmallVector<SmallVector<int64_t>> starts;
  int64_t numBoxes = 0;
  for (size_t output = 0; output < op.getNumStored(); ++output) {
    starts.push_back(
        getStarts(grid.numColumns, op.getBox(output).getColumns()));
    numBoxes += starts.back().size();
  }
  // Every tile starts with the first buffer. If the tile before has not ended
  // with the last one, buffers come round too early for storeBoxByTma's wait.
  uint64_t parts = grid.rows.size() * grid.columns.size();
  if (byTma && op->getParentOfType<LoopLikeOpInterface>() &&
      parts * numBoxes % op.getBuffers())
    buildIf(b, b.cmp(arith::CmpIPredicate::eq, b.remU(warp, 4), b.i32(0)), [&] {
      b.create<NVVM::CpAsyncBulkWaitGroupOp>(0, b.getUnitAttr());
    });
  storeParts(op, viewWgmma(op), grid, isWhole(op),
             [&](const Part &part, ArrayRef<SmallVector<Value>> results) {
               Value box = b.mul(part.number, numBoxes);
               for (auto [output, list] : llvm::enumerate(results))
                 for (int64_t start : starts[output]) {
                   if (byTma)
                     storeBoxByTma(op, output, part, list, start, box);
                   else
                     storeBoxByThreads(op, output, part, list, start);
                   box = b.add(box, 1);
                 }
             });
}

/// Where TMA's swizzle puts a 16-byte piece of a row of a box, in bytes.
Value TileLowering::swizzledPlace(TileType box, Value row, Value piece) {
  int64_t pieces = box.getRowBytes() / 16;
  Value key =
      box.getTmaSwizzle() ? b.remU(b.divU(row, 8 / pieces), pieces) : b.i32(0);
  return b.add(b.mul(row, box.getRowBytes()), b.mul(b.bitXor(piece, key), 16));
}

/// Writes a part's columns from `first` on to the box that starts at `start` of
/// the role's staging memory.
void TileLowering::writeBox(EpilogueOp op, TileType box, const AccView &view,
                            ValueRange results, int64_t first, Value start) {
  int64_t offset = layout.staging.lookup(role);
  auto place = [&](Value row, Value piece) {
    return b.add(start, swizzledPlace(box, row, piece));
  };
  if (op.getTransposed() || box.getElementType().getIntOrFloatBitWidth() == 16)
    writeMatrices(op, view, results, box, first, offset, place);
  else
    writePairs(view, results, box, first, offset, place);
}

/// Stores a box of one output, which starts at the column `first` of a part;
/// boxes take turns with the buffers by their number.
void TileLowering::storeBoxByTma(EpilogueOp op, unsigned output,
                                 const Part &part, ValueRange results,
                                 int64_t first, Value number) {
  auto map = op.getMaps()[output];
  Value inGroup = b.remU(warp, 4);
  Value isFirstWarp = b.cmp(arith::CmpIPredicate::eq, inGroup, b.i32(0));
  auto syncGroup = [&] {
    // Barrier 0 is the CTA's.
    b.create<NVVM::BarrierOp>(Type(), b.add(b.divU(warp, 4), 1), b.i32(128),
                              NVVM::BarrierReductionAttr(), Value());
  };
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
  Value start = b.mul(
      b.add(b.mul(roleGroup(), buffers), b.remU(number, buffers)), bufferBytes);
  writeBox(op, op.getBox(output), part.view, results, first, start);
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  syncGroup();
  buildIf(b, isFirstWarp, [&] {
    Value elected = b.create<NVVM::ElectSyncOp>(b.getI1Type(), Value());
    auto branch = b.create<scf::IfOp>(elected, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard scope(b);
      b.setInsertionPointToStart(branch.thenBlock());
      SmallVector<Value> coordinates;
      StringRef dims =
          cast<StringAttr>(op.getDims()[op.getInputs().size() + output])
              .getValue();
      for (char dim : llvm::reverse(dims))
        coordinates.push_back(
            dim == 'b'   ? one(op.getBatch())
            : dim == 'm' ? b.add(one(op.getM()), part.row)
                         : b.add(one(op.getN()), b.add(part.column, first)));
      b.create<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
          mapAddress(map), sharedAddress(start, layout.staging.lookup(role)),
          coordinates,
          /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    }
    // By the whole warp: the group of the others is empty.
    b.create<NVVM::CpAsyncBulkCommitGroupOp>();
  });
}

/// Elements of 16 bits: four 8x8 matrices at once.
void TileLowering::writeMatrices(EpilogueOp op, const AccView &view,
                                 ValueRange results, TileType box,
                                 int64_t first, int64_t offset, Place place) {
  auto pairType = VectorType::get({2}, box.getElementType());
  size_t held = view.columns.size();
  auto word = [&](Value low, Value high) {
    Value pair =
        b.create<vector::FromElementsOp>(pairType, ValueRange{low, high});
    return b.create<LLVM::BitcastOp>(b.getI32Type(), pair).getResult();
  };
  bool transposed = op.getTransposed();
  Value lane = laneId(), inGroup = b.remU(warp, 4);
  // A lane gives the address of one row of one matrix: of the two halves of
  // the warp's 16 rows of the instruction, and of the first or second 8 of its
  // columns.
  Value low = b.remU(lane, 8), half = b.remU(b.divU(lane, 8), 2),
        second = b.divU(lane, 16);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  auto layoutKind = transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  int64_t count = (transposed ? box.getRows() : box.getColumns()) / 8;
  for (int64_t j = 0; j < count; j += 2) {
    bool isPair = j + 1 < count;
    SmallVector<Value> words;
    for (int64_t c = j; c < std::min(j + 2, count); ++c)
      for (int64_t h : {0, 1}) {
        if (transposed) {
          words.push_back(word(results[(2 * c) * held + h],
                               results[(2 * c + 1) * held + h]));
          continue;
        }
        size_t column = first / 4 + 2 * c;
        words.push_back(
            word(results[h * held + column], results[h * held + column + 1]));
      }
    Value across = b.add(isPair ? second : b.i32(0), j);
    Value address =
        transposed
            ? place(b.add(b.mul(across, 8), low),
                    b.add(b.mul(inGroup, 2), half))
            : place(b.add(b.add(b.mul(inGroup, 16), b.mul(half, 8)), low),
                    across);
    b.create<NVVM::StMatrixOp>(sharedAddress(address, offset), words,
                               layoutKind, shape, NVVM::LdStMatrixEltType::B16);
  }
}

/// Elements of 32 bits: two neighbours at once.
void TileLowering::writePairs(const AccView &view, ValueRange results,
                              TileType box, int64_t first, int64_t offset,
                              Place place) {
  auto pairType = VectorType::get({2}, box.getElementType());
  size_t held = view.columns.size();
  Value lane = laneId(), inGroup = b.remU(warp, 4), quad = b.remU(lane, 4);
  for (int64_t h : {0, 1})
    for (int64_t j = 0; j < box.getColumns() / 8; ++j) {
      size_t index = h * held + first / 4 + 2 * j;
      Value pair = b.create<vector::FromElementsOp>(
          pairType, ValueRange{results[index], results[index + 1]});
      Value row = b.add(b.add(b.mul(inGroup, 16), b.divU(lane, 4)), 8 * h);
      Value address = b.add(place(row, b.add(b.divU(quad, 2), 2 * j)),
                            b.mul(b.remU(quad, 2), 8));
      b.create<LLVM::StoreOp>(pair, sharedAddress(address, offset),
                              /*alignment=*/8);
    }
}

void TileLowering::lower(TmaAwaitOp) {
  // Groups are each thread's own; those that stored nothing wait for nothing.
  b.create<NVVM::CpAsyncBulkWaitGroupOp>(0, b.getUnitAttr());
}
