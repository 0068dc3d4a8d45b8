//===- LoaderLowering.cpp - Loaders, and which copies they make -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread t of T copies chunk t mod C of row t div C of the tile, then of the
// row T/C further down, and so on: consecutive threads read consecutive
// addresses. C is the number of a row's chunks, divided by `row_copies`: the
// thread's further copies of the row are C chunks apart. The global address is
// one loop-carried value; the rows of a pass follow by adding one stride. The
// shared address is the thread's own offset plus a constant. A transposed
// loader puts element k of a row into row k of the tile.
//
//===----------------------------------------------------------------------===//

#include "CpAsyncCopies.h"
#include "Families.h"
#include "RoleCopies.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "TmaCopies.h"

using namespace mlir;
using namespace tcgemm;

namespace {
class LoaderLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(LoaderCreateOp op);
  void lower(LoaderStartOp op);
  void lower(LoaderAdvanceOp op);
  void lower(LoaderCopyOp op);

private:
  Value getSectorParity(Value elements, int64_t chunk);
  Value getSharedOffset(const LoaderState &loader, int64_t phase);
};
} // namespace

/// Returns whether the number of chunks is odd: a sector of global memory holds
/// two.
Value LoaderLowering::getSectorParity(Value elements, int64_t chunk) {
  return b.remU(b.divU(b.trunc(elements), chunk), 2);
}

/// The offset of the thread's copies in the tile, in elements.
Value LoaderLowering::getSharedOffset(const LoaderState &loader,
                                      int64_t phase) {
  TileType tile = loader.type.getTile();
  int64_t chunk = getChunkElements(tile);
  Value row = b.add(loader.row, phase * loader.type.getRowsPerPass());
  if (loader.type.getTransposed())
    return b.add(b.mul(loader.column, getRowElements(tile)), row);
  Value swizzled =
      swizzleChunk(b, tile, row, b.divU(loader.column, chunk), &loader);
  return b.add(b.add(b.mul(row, getRowElements(tile)), b.mul(swizzled, chunk)),
               b.remU(loader.column, chunk));
}

void LoaderLowering::lower(LoaderCreateOp op) {
  LoaderState loader;
  loader.type = op.getLoader().getType();
  loader.base = one(op.getBase());
  loader.stride = one(op.getStride());
  loader.origin = one(op.getOffset());
  loader.extent = one(op.getExtent());
  int64_t threadsPerRow = loader.type.getThreadsPerRow();
  Value number = analysis.getRole(op) ? getThreadInRole(c, op) : c.threadId();
  loader.row = b.divU(number, threadsPerRow);
  loader.column = b.mul(b.remU(number, threadsPerRow), loader.type.getVector());
  if (op.getPhase()) {
    int64_t chunk = getChunkElements(loader.type.getTile());
    loader.startsInSector = getSectorParity(one(op.getPhase()), chunk);
    loader.alternates = getSectorParity(loader.stride, chunk);
  }
  for (int64_t phase = 0; phase < loader.type.getSwizzlePeriod(); ++phase)
    loader.shared.push_back(getSharedOffset(loader, phase));
  if (loader.type.hasPartialPass()) {
    int64_t slots = loader.type.getRows() * threadsPerRow;
    int64_t left = slots % loader.type.getThreads();
    loader.active = b.lessU(number, b.i32(left));
  }
  c.loaders[op.getLoader()] = loader;
  set(op.getLoader(), {});
}

void LoaderLowering::lower(LoaderStartOp op) {
  const LoaderState &loader = c.loaders[op.getLoader()];
  Value k = one(op.getK());
  bool kContiguous = loader.type.getKContiguous();
  Value row = b.add(loader.row, kContiguous ? loader.origin : k);
  Value column = b.add(loader.column, kContiguous ? k : loader.origin);
  Value address = b.add(b.mul(b.ext(row), loader.stride), b.ext(column));
  set(op.getAddress(), b.add(one(op.getBatchOffset()), address));
}

void LoaderLowering::lower(LoaderAdvanceOp op) {
  const LoaderState &loader = c.loaders[op.getLoader()];
  Value by = b.ext(one(op.getBy()));
  if (!loader.type.getKContiguous())
    by = b.mul(by, loader.stride);
  set(op.getNext(), b.add(one(op.getAddress()), by));
}

void LoaderLowering::lower(LoaderCopyOp op) {
  if (hasBarriers(op.getRing()))
    RoleCopies(c, op).emit();
  else
    CpAsyncCopies(c, op).emit();
}

void tcgemm::populateCopyPatterns(LoweringContext &c,
                                  RewritePatternSet &patterns) {
  addFamily<LoaderLowering, LoaderCreateOp, LoaderStartOp, LoaderAdvanceOp,
            LoaderCopyOp>(c, patterns);
  addFamily<TmaCopies, TmaLoadOp, TmaAwaitOp>(c, patterns);
}
