//===- GroupLowering.cpp - Groups whose sizes are in memory ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a role go through the offsets and read the same addresses.
// Tiles come in order, so that a search continues where the last one ended.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LoweringContext.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

namespace {
class GroupLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(GroupTilesOp op);
  void lower(GroupLocateOp op);
  void lower(GroupRangeOp op);

private:
  Value loadEnd(Value offsets, Value group, Value start, Value extent);
};
} // namespace

/// The end of a group's rows, at least `start` and at most `extent`: offsets
/// that decrease or exceed the extent lead to no access out of bounds.
Value GroupLowering::loadEnd(Value offsets, Value group, Value start,
                             Value extent) {
  Value offset = b.create<memref::LoadOp>(offsets, b.index(group));
  return b.minS(b.createOrFold<arith::MaxSIOp>(offset, start), extent);
}

void GroupLowering::lower(GroupTilesOp op) {
  Value offsets = one(op.getOffsets()), extent = one(op.getExtent());
  Value zero = b.i32(0);
  auto loop = b.create<scf::ForOp>(zero, one(op.getGroups()), b.i32(1),
                                   ValueRange{zero, zero});
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  Value tiles = loop.getRegionIterArg(0), start = loop.getRegionIterArg(1);
  if (op.getPadded())
    start = zero;
  Value end = loadEnd(offsets, loop.getInductionVar(), start, extent);
  tiles = b.add(tiles, b.ceilDiv(b.sub(end, start), op.getRows()));
  b.create<scf::YieldOp>(ValueRange{tiles, end});
  set(op.getTiles(), loop.getResult(0));
}

void GroupLowering::lower(GroupLocateOp op) {
  Value offsets = one(op.getOffsets()), extent = one(op.getExtent());
  Value tile = one(op.getTile()), columns = one(op.getColumns());
  SmallVector<Type> types(5, b.getI32Type());
  SmallVector<Location> places(5, b.getLoc());
  Value zero = b.i32(0);
  // Carried are the group, the tiles before it, its first row, and, for the
  // next one, the last two.
  auto loop = b.create<scf::WhileOp>(
      types, ValueRange{one(op.getFrom()), one(op.getTilesBefore()),
                        one(op.getAt()), zero, zero});
  OpBuilder::InsertionGuard scope(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, places);
  Value group = before->getArgument(0), first = before->getArgument(1),
        start = op.getPadded() ? zero : Value(before->getArgument(2));
  Value end = loadEnd(offsets, group, start, extent);
  Value tiles = b.mul(b.ceilDiv(b.sub(end, start), op.getRows()), columns);
  Value next = b.add(first, tiles);
  b.create<scf::ConditionOp>(b.lessEqualU(next, tile),
                             ValueRange{group, first, start, next, end});
  Block *after = b.createBlock(&loop.getAfter(), {}, types, places);
  b.create<scf::YieldOp>(ValueRange{
      b.add(after->getArgument(0), 1), after->getArgument(3),
      after->getArgument(4), after->getArgument(3), after->getArgument(4)});
  set(op.getGroup(), loop.getResult(0));
  set(op.getBefore(), loop.getResult(1));
  set(op.getStart(), loop.getResult(2));
  set(op.getEnd(), loop.getResult(4));
}

void GroupLowering::lower(GroupRangeOp op) {
  Value offsets = one(op.getOffsets()), extent = one(op.getExtent());
  Value group = one(op.getGroup()), zero = b.i32(0);
  Value isFirst = b.equal(group, zero);
  // The first group has no end before it. Its own one is read instead.
  Value ahead = b.select(isFirst, zero, b.sub(group, b.i32(1)));
  Value start = b.select(isFirst, zero, loadEnd(offsets, ahead, zero, extent));
  set(op.getStart(), start);
  set(op.getEnd(), loadEnd(offsets, group, start, extent));
}

void tcgemm::populateGroupPatterns(LoweringContext &c,
                                   RewritePatternSet &patterns) {
  addFamily<GroupLowering, GroupTilesOp, GroupLocateOp, GroupRangeOp>(c,
                                                                      patterns);
}
