//===- TileLoweringProducts.cpp - Fragments and accumulators -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

void TileLowering::lower(AccZeroOp op) {
  if (getWmmaShape(op.getAcc().getType().getLayout()))
    return zeroMatrices(op);
  SmallVector<Type> types = expand(op.getAcc().getType());
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(types.front()));
  set(op.getAcc(), SmallVector<Value>(types.size(), zero));
}

/// ldmatrix.x4: eight lanes give the rows of one 8×8 matrix each. The four
/// matrices are, for A, (m, k), (m+8, k), (m, k+8), (m+8, k+8) and, for B, the
/// same with k before n: just what mma.sync wants in its registers. Where the
/// tile's rows run along k, the matrices are loaded transposed.
void TileLowering::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  if (getWmmaShape(type.getLayout()))
    return loadMatrices(op);
  if (!type.getRuns().empty())
    return loadThreadFragment(op);
  RingType ring = op.getRing().getType();
  TileType tile = ring.getTiles()[op.getTile()];
  int64_t rowElements = tile.getRowBytes() / 2;
  bool isA = type.getRole() == FragmentRole::A;
  Value lane = laneId();
  Value low = b.remU(lane, 8), half = b.remU(b.divU(lane, 8), 2),
        quarter = b.divU(lane, 16);
  // The lane's place along the operand's own side and along k, in units of 8.
  Value side8 = isA ? half : quarter, k8 = isA ? quarter : half;
  Value sideBase = b.mul(one(op.getWarp()), type.getRows());
  int64_t depth = type.getDepth(), k = op.getKStep() * depth;
  Value stage = one(op.getState()), memory = one(op.getRing());
  int64_t base = ring.getTileOffset(op.getTile()) / 2;
  const LoaderState *loader =
      op.getLoader() ? &loaders[op.getLoader()] : nullptr;
  Value kBase = nullptr;
  if (op.getWarpK()) {
    int64_t tileDepth = op.getTransposed() ? tile.getRows() : tile.getColumns();
    kBase = b.mul(one(op.getWarpK()), tileDepth / op.getWarpsK());
  }
  auto resultType = VectorType::get({4, 2}, type.getElementType());
  SmallVector<Value> loaded;
  for (int64_t piece = 0; piece < type.getRows() / 16; ++piece) {
    Value address;
    if (!op.getTransposed()) {
      Value row = b.add(sideBase, b.add(low, b.mul(side8, 8)));
      Value chunk = k8;
      if (kBase)
        chunk = b.add(chunk, b.divU(kBase, 8));
      bool turns = tile.getSwizzle() == Swizzle::Sectors;
      if (turns)
        chunk = b.add(chunk, k / 8);
      Value place = b.mul(swizzle(tile, row, chunk, loader), 8);
      Value lanePart = b.add(b.mul(row, rowElements), place);
      // The k-step only touches chunk bits that are zero in the lane's part.
      if (tile.getSwizzle() == Swizzle::Xor)
        lanePart = b.bitXor(lanePart, k);
      else if (!turns)
        lanePart = b.add(lanePart, k);
      address =
          indexAt(b.add(stage, lanePart), base + piece * 16 * rowElements);
    } else {
      Value row = b.add(low, b.mul(k8, 8));
      if (kBase)
        row = b.add(row, kBase);
      Value chunk = b.add(b.add(b.divU(sideBase, 8), side8), piece * 2);
      Value place = b.mul(swizzle(tile, row, chunk, loader), 8);
      address = indexAt(b.add(stage, b.add(b.mul(row, rowElements), place)),
                        base + k * rowElements);
    }
    loaded.push_back(b.create<nvgpu::LdMatrixOp>(resultType, memory, address,
                                                 op.getTransposed(), 4));
  }
  set(op.getFragment(), loaded);
}

void TileLowering::lower(MmaOp op) {
  if (getWmmaShape(op.getAcc().getType().getLayout()))
    return multiplyMatrices(op);
  if (op.getAcc().getType().getLayout() == AccLayout::Simt)
    return multiplyByThread(op);
  ArrayRef<Value> a = all(op.getA()), bPieces = all(op.getB());
  SmallVector<Value> acc(all(op.getAcc()));
  SmallVector<Value> columns;
  for (Value piece : bPieces)
    for (int64_t half : {0, 2})
      columns.push_back(b.create<vector::ExtractStridedSliceOp>(
          piece, ArrayRef<int64_t>{half, 0}, ArrayRef<int64_t>{2, 2},
          ArrayRef<int64_t>{1, 1}));
  int64_t count = columns.size();
  for (auto [i, row] : llvm::enumerate(a))
    for (int64_t step = 0; step < count; ++step) {
      // Every other row runs backwards, to reuse the last B fragment.
      int64_t j = i % 2 ? count - 1 - step : step;
      Value &element = acc[i * count + j];
      element = b.create<nvgpu::MmaSyncOp>(row, columns[j], element,
                                           ArrayRef<int64_t>{16, 8, 16});
    }
  set(op.getResult(), acc);
}

/// Warps with warp_k > 0 leave their registers in shared memory, in the layout
/// [warp_k - 1][warp][4 registers][lane], which has no bank conflicts.
void TileLowering::lower(AccReduceOp op) {
  SmallVector<Value> acc(all(op.getAcc()));
  Value warpK = one(op.getWarpK());
  int64_t warps = program.getThreads() / 32 / op.getWarpsK();
  int64_t perWarp = acc.size() * 4 * 32;
  Value memory =
      sharedAs(b.getF32Type(), (op.getWarpsK() - 1) * warps * perWarp);
  Value warp = b.remU(b.divU(threadId(), 32), warps);
  Value own = b.add(b.mul(warp, perWarp), b.mul(laneId(), 4));
  auto quadType = VectorType::get({4}, b.getF32Type());
  auto place = [&](Value group, int64_t quad) {
    return indexAt(b.add(b.mul(group, warps * perWarp), own), quad * 128);
  };
  auto scalars = [&](Value quad) {
    SmallVector<Value> list;
    for (int64_t r = 0; r < 4; ++r)
      list.push_back(
          b.create<vector::ExtractOp>(quad, ArrayRef<int64_t>{r / 2, r % 2}));
    return list;
  };
  Value isOther = b.cmp(arith::CmpIPredicate::ne, warpK, b.i32(0));
  auto store = b.create<scf::IfOp>(isOther, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(store.thenBlock());
    Value group = b.sub(warpK, b.i32(1));
    for (auto [i, element] : llvm::enumerate(acc)) {
      Value quad = b.create<vector::FromElementsOp>(quadType, scalars(element));
      b.create<vector::StoreOp>(quad, memory, place(group, i));
    }
  }
  b.create<gpu::BarrierOp>();
  SmallVector<Type> types(acc.size(), acc.front().getType());
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, warpK, b.i32(0));
  auto sum = choose(
      isFirst, types,
      [&] {
        SmallVector<Value> sums(acc);
        for (int64_t group = 0; group + 1 < int64_t(op.getWarpsK()); ++group)
          for (auto [i, element] : llvm::enumerate(sums)) {
            Value other = b.create<vector::LoadOp>(quadType, memory,
                                                   place(b.i32(group), i));
            SmallVector<Value> parts = scalars(element);
            for (auto [r, part] : llvm::enumerate(parts))
              part = b.create<arith::AddFOp>(
                  part, b.create<vector::ExtractOp>(other, r));
            element = b.create<vector::FromElementsOp>(types[i], parts);
          }
        return sums;
      },
      [&] { return acc; });
  // A staged epilogue goes through the same memory.
  if (stagings)
    b.create<gpu::BarrierOp>();
  set(op.getResult(), sum);
}

void TileLowering::lower(AccGatherOp op) {
  Value zero = b.create<arith::ConstantOp>(b.getF32FloatAttr(0.0f));
  Value stride = one(op.getSliceStride()), offset = one(op.getOffset());
  SmallVector<Value> initial(op.getAcc().getType().getColumns(), zero);
  auto loop =
      b.create<scf::ForOp>(b.i32(0), one(op.getSlices()), b.i32(1), initial);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value start = b.add(offset, b.mul(b.ext(loop.getInductionVar()), stride));
    SmallVector<Value> sums;
    for (auto [column, sum] : llvm::enumerate(loop.getRegionIterArgs())) {
      Value part = b.create<memref::LoadOp>(one(op.getPartials()),
                                            b.index(b.add(start, column)));
      sums.push_back(b.create<arith::AddFOp>(sum, part));
    }
    b.create<scf::YieldOp>(sums);
  }
  set(op.getAcc(), loop.getResults());
}
