//===- Reductions.cpp - Sums over warps and over memory -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "ClusterReduction.h"
#include "ControlFlow.h"
#include "DotProducts.h"
#include "Families.h"
#include "PartialsCombination.h"
#include "RoleSums.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Dialect/AlgebraOps.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

namespace {
/// Warps with warp_k > 0 leave their registers in shared memory, in the layout
/// [warp_k - 1][warp][4 registers][lane], which has no bank conflicts.
class WarpSum : public Lowering {
public:
  WarpSum(LoweringContext &c, AccReduceOp op);
  void store();
  Values load();

private:
  Value getIndex(Value group, int64_t quad) {
    return createIndex(b, b.add(b.mul(group, warps * perWarp), own),
                       quad * 128);
  }
  Values getScalars(Value quad);

  AccReduceOp op;
  Values acc;
  int64_t warps, perWarp;
  VectorType quadType;
  Value memory, own;
};
} // namespace

WarpSum::WarpSum(LoweringContext &c, AccReduceOp op)
    : Lowering(c), op(op), acc(all(op.getAcc())),
      warps(analysis.getProgram().getThreads() / 32 / op.getWarpsK()),
      perWarp(acc.size() * 4 * 32),
      quadType(VectorType::get({4}, op.getAcc().getType().getElementType())) {
  memory = createSharedView(b, quadType.getElementType(),
                            (op.getWarpsK() - 1) * warps * perWarp);
  Value warp = b.remU(c.warpId(), warps);
  own = b.add(b.mul(warp, perWarp), b.mul(c.laneId(), 4));
}

Values WarpSum::getScalars(Value quad) {
  Values list;
  for (int64_t r = 0; r < 4; ++r)
    list.push_back(
        b.create<vector::ExtractOp>(quad, ArrayRef<int64_t>{r / 2, r % 2}));
  return list;
}

void WarpSum::store() {
  Value group = b.sub(one(op.getWarpK()), b.i32(1));
  for (auto [i, element] : llvm::enumerate(acc)) {
    Value quad =
        b.create<vector::FromElementsOp>(quadType, getScalars(element));
    b.create<vector::StoreOp>(quad, memory, getIndex(group, i));
  }
}

Values WarpSum::load() {
  Values sums(acc);
  for (int64_t group = 0; group + 1 < int64_t(op.getWarpsK()); ++group)
    for (auto [i, element] : llvm::enumerate(sums)) {
      Value other =
          b.create<vector::LoadOp>(quadType, memory, getIndex(b.i32(group), i));
      Values parts = getScalars(element);
      for (auto [r, part] : llvm::enumerate(parts))
        part = addElements(b, part, b.create<vector::ExtractOp>(other, r));
      element = b.create<vector::FromElementsOp>(element.getType(), parts);
    }
  return sums;
}

namespace {
/// Threads of a group with warp_k > 0 leave their sums in shared memory, in the
/// layout [warp_k - 1][element][thread of the group], which has no bank
/// conflicts.
class ThreadSum : public Lowering {
public:
  ThreadSum(LoweringContext &c, AccReduceOp op);
  void store();
  Values load();

private:
  Value getIndex(Value group, int64_t element) {
    return createIndex(b, b.add(b.mul(group, threads * size), own),
                       element * threads);
  }

  AccReduceOp op;
  Values acc;
  int64_t threads, size;
  Value memory, own;
};
} // namespace

ThreadSum::ThreadSum(LoweringContext &c, AccReduceOp op)
    : Lowering(c), op(op), acc(all(op.getAcc())),
      threads(analysis.getProgram().getThreads() / op.getWarpsK()),
      size(acc.size()) {
  memory = createSharedView(b, op.getAcc().getType().getElementType(),
                            (op.getWarpsK() - 1) * threads * size);
  own = b.remU(c.threadId(), threads);
}

void ThreadSum::store() {
  Value group = b.sub(one(op.getWarpK()), b.i32(1));
  for (auto [i, element] : llvm::enumerate(acc))
    b.create<memref::StoreOp>(element, memory, getIndex(group, i));
}

Values ThreadSum::load() {
  Values sums(acc);
  for (int64_t group = 0; group + 1 < int64_t(op.getWarpsK()); ++group)
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value part = b.create<memref::LoadOp>(memory, getIndex(b.i32(group), i));
      sum = addSums(c, sum, part);
    }
  return sums;
}

/// Adds the accumulators of the parts with warp_k > 0 to that of the first.
template <typename Sum> Values Reductions::addParts(AccReduceOp op) {
  Values acc(all(op.getAcc()));
  Value warpK = one(op.getWarpK());
  Sum sum(c, op);
  buildIf(b, b.notEqual(warpK, b.i32(0)), [&] { sum.store(); });
  b.create<gpu::BarrierOp>();
  return buildIfElse(
      b, b.equal(warpK, b.i32(0)), ValueRange(acc).getTypes(),
      [&] { return sum.load(); }, [&] { return acc; });
}

void Reductions::lower(AccReduceOp op) {
  bool isOfThreads = op.getAcc().getType().getLayout() == AccLayout::Simt;
  Values result = isOfThreads ? addParts<ThreadSum>(op) : addParts<WarpSum>(op);
  // A staged epilogue uses the same memory.
  if (analysis.getNumStagings())
    b.create<gpu::BarrierOp>();
  set(op.getResult(), result);
}

Value tcgemm::addElements(IntegerBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return b.create<arith::AddFOp>(x, y);
  return b.create<arith::AddIOp>(x, y);
}

void tcgemm::addQuad(IntegerBuilder &b, MutableArrayRef<Value> sums,
                     Value address) {
  auto type = VectorType::get({4}, sums.front().getType());
  Value quad = b.create<LLVM::LoadOp>(type, address, /*alignment=*/16);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = addElements(b, sum, b.create<vector::ExtractOp>(quad, i));
}

Value tcgemm::addSums(LoweringContext &c, Value x, Value y) {
  Algebra algebra = c.analysis.getProgram().getProductAlgebra();
  if (algebra.isDefault())
    return addElements(c.b, x, y);
  return createAlgebraOperation(c.b, c.b.getLoc(), algebra.reduce, x, y);
}

Value tcgemm::getInitialSum(LoweringContext &c, Type type) {
  Algebra algebra = c.analysis.getProgram().getProductAlgebra();
  if (algebra.isDefault())
    return c.b.zero(type);
  return c.b.create<arith::ConstantOp>(getNeutralValue(algebra, type));
}

Values tcgemm::selectSlice(IntegerBuilder &b, ArrayRef<Values> slices,
                           Value number, int64_t first) {
  if (slices.size() == 1)
    return slices.front();
  size_t half = slices.size() / 2;
  return buildIfElse(
      b, b.lessU(number, b.i32(first + half)),
      ValueRange(slices.front()).getTypes(),
      [&] { return selectSlice(b, slices.take_front(half), number, first); },
      [&] {
        return selectSlice(b, slices.drop_front(half), number, first + half);
      });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// Adds partial results of slices in order. A thread waits once for the loads
/// of several slices, not for each.
class SliceSum : public Lowering {
public:
  SliceSum(LoweringContext &c, AccGatherOp op)
      : Lowering(c), op(op), slices(one(op.getSlices())),
        columns(op.getAcc().getType().getColumns()) {}
  Values add();

private:
  /// Adds `count` slices from `first` (i32) on.
  Values addSlices(Value first, int64_t count, ValueRange sums);

  AccGatherOp op;
  Value slices; // i32
  int64_t columns;
};
} // namespace

Values SliceSum::addSlices(Value first, int64_t count, ValueRange sums) {
  Value stride = one(op.getSliceStride());
  Value start = b.add(one(op.getOffset()), b.mul(b.ext(first), stride));
  SmallVector<Values> parts(count);
  for (Values &part : parts) {
    for (int64_t column = 0; column < columns; ++column)
      part.push_back(b.create<memref::LoadOp>(one(op.getPartials()),
                                              b.index(b.add(start, column))));
    start = b.add(start, stride);
  }
  Values totals(sums);
  for (const Values &part : parts)
    for (auto [total, value] : llvm::zip_equal(totals, part))
      total = addSums(c, total, value);
  return totals;
}

Values SliceSum::add() {
  // The loads of a whole batch take 16 registers for each column.
  constexpr int64_t batch = 16;
  Type element = op.getAcc().getType().getElementType();
  Values initial(columns, getInitialSum(c, element));
  auto loop =
      b.create<scf::ForOp>(b.i32(0), b.divU(slices, batch), b.i32(1), initial);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = b.mul(loop.getInductionVar(), batch);
    b.create<scf::YieldOp>(addSlices(first, batch, loop.getRegionIterArgs()));
  }
  Values sums(loop.getResults());
  // The binary digits of what is left, from the highest on.
  for (int64_t count = batch / 2; count > 0; count /= 2) {
    Value isThere = b.notEqual(b.bitAnd(slices, b.i32(count)), b.i32(0));
    Value first = b.bitAnd(slices, b.i32(-2 * count));
    sums = buildIfElse(
        b, isThere, ValueRange(sums).getTypes(),
        [&] { return addSlices(first, count, sums); }, [&] { return sums; });
  }
  return sums;
}

/// Sums the slices of k that other CTAs left in global memory.
void Reductions::lower(AccGatherOp op) {
  set(op.getAcc(), SliceSum(c, op).add());
}

/// Reads a thread's elements of the CTA's tile in shared memory.
void Reductions::lower(AccUnstageOp op) {
  int64_t columns = op.getAcc().getType().getColumns();
  Type element = op.getAcc().getType().getElementType();
  auto type = VectorType::get({columns}, element);
  Value memory = createSharedView(b, element, op.getRows() * op.getPitch());
  Value offset =
      b.add(b.mul(one(op.getRow()), op.getPitch()), one(op.getColumn()));
  Value loaded = b.create<vector::LoadOp>(type, memory, b.index(offset));
  Values elements;
  for (int64_t i = 0; i < columns; ++i)
    elements.push_back(b.create<vector::ExtractOp>(loaded, i));
  set(op.getAcc(), elements);
}

void tcgemm::populateReductionPatterns(LoweringContext &c,
                                       RewritePatternSet &patterns) {
  addFamily<Reductions, AccReduceOp, AccGatherOp, AccUnstageOp>(c, patterns);
  addFamily<ClusterReduction, AccClusterReduceOp>(c, patterns);
  addFamily<RoleSums, AccSendOp, AccReceiveOp>(c, patterns);
  addFamily<DotProducts, AccDotOp>(c, patterns);
  addFamily<PartialsCombination, PartialsCombineOp>(c, patterns);
}
