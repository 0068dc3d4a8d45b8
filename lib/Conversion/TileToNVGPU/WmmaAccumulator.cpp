//===- WmmaAccumulator.cpp - Accumulators of wmma -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and accumulators are !gpu.mma_matrix, one for each instruction.
//
// gpu.subgroup_mma_load_matrix and its store take pitches that are constants.
// In global memory they are not, and nvvm.wmma.load and store stand here
// instead.
//
//===----------------------------------------------------------------------===//

#include "WmmaAccumulator.h"
#include "SharedMemory.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

/// The depth of every instruction.
static constexpr int64_t kDepth = 16;

SmallVector<Type> WmmaAccumulator::expand(AccType type) {
  return SmallVector<Type>(
      type.getRows() / shape.m * (type.getColumns() / shape.n),
      gpu::MMAMatrixType::get({shape.m, shape.n}, b.getF32Type(), "COp"));
}

SmallVector<Type> WmmaAccumulator::expand(FragmentType type) {
  return SmallVector<Type>(type.getRows() / getUnit(type), getMatrixType(type));
}

/// Rows or columns of one instruction.
int64_t WmmaAccumulator::getUnit(FragmentType fragment) const {
  return fragment.getRole() == FragmentRole::A ? shape.m : shape.n;
}

/// The matrix of one instruction that the fragment consists of.
gpu::MMAMatrixType WmmaAccumulator::getMatrixType(FragmentType fragment) const {
  if (fragment.getRole() == FragmentRole::A)
    return gpu::MMAMatrixType::get({shape.m, kDepth}, fragment.getElementType(),
                                   "AOp");
  return gpu::MMAMatrixType::get({kDepth, shape.n}, fragment.getElementType(),
                                 "BOp");
}

/// Whether wmma sees the matrix column by column: A's columns and B's rows run
/// along m and n.
static bool isColumnMajor(FragmentType fragment, bool transposed) {
  return (fragment.getRole() == FragmentRole::A) == transposed;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void WmmaAccumulator::lower(AccZeroOp op) {
  SmallVector<Type> types = expand(op.getAcc().getType());
  Value matrix = b.create<gpu::SubgroupMmaConstantMatrixOp>(
      types.front(), b.zero(b.getF32Type()));
  set(op.getAcc(), Values(types.size(), matrix));
}

void WmmaAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  int64_t pitch = ring.getTiles()[op.getTile()].getRowBytes() / 2;
  int64_t k = op.getKStep() * kDepth;
  bool transposed = op.getTransposed();
  Value first = b.mul(one(op.getWarp()), type.getRows());
  Value offset =
      b.add(one(op.getState()), transposed ? first : b.mul(first, pitch));
  int64_t base =
      ring.getTileOffset(op.getTile()) / 2 + (transposed ? k * pitch : k);
  auto columnMajor =
      isColumnMajor(type, transposed) ? b.getUnitAttr() : UnitAttr();
  Values loaded;
  for (int64_t side = 0; side < type.getRows(); side += getUnit(type)) {
    Value index =
        createIndex(b, offset, base + (transposed ? side : side * pitch));
    loaded.push_back(b.create<gpu::SubgroupMmaLoadMatrixOp>(
        getMatrixType(type), one(op.getRing()), index, b.getIndexAttr(pitch),
        columnMajor));
  }
  set(op.getFragment(), loaded);
}

/// A pointer to element `index` (i64) of a memref in global memory.
Value WmmaAccumulator::getGlobalAddress(Value base, Value index) {
  auto type = cast<MemRefType>(base.getType());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value start =
      b.create<UnrealizedConversionCastOp>(pointer, base).getResult(0);
  return b.create<LLVM::GEPOp>(pointer, type.getElementType(), start,
                               LLVM::GEPArg(index));
}

void WmmaAccumulator::lower(FragmentFetchOp op) {
  FragmentType type = op.getFragment().getType();
  int64_t unit = getUnit(type);
  Value last = b.sub(one(op.getExtent()), b.i32(unit));
  Value stride = one(op.getStride());
  Value pitch = b.trunc(stride);
  auto registers = convertMMAToLLVMType(getMatrixType(type));
  auto layout = isColumnMajor(type, op.getTransposed()) ? NVVM::MMALayout::col
                                                        : NVVM::MMALayout::row;
  auto frag =
      type.getRole() == FragmentRole::A ? NVVM::MMAFrag::a : NVVM::MMAFrag::b;
  Values fetched;
  for (int64_t side = 0; side < type.getRows(); side += unit) {
    Value offset = b.ext(b.minU(b.add(one(op.getFirst()), side), last));
    if (!op.getTransposed())
      offset = b.mul(offset, stride);
    Value address = getGlobalAddress(one(op.getBase()),
                                     b.add(one(op.getAddress()), offset));
    Value loaded =
        b.create<NVVM::WMMALoadOp>(registers, address, pitch, shape.m, shape.n,
                                   kDepth, layout, NVVM::MMATypes::f16, frag);
    fetched.push_back(
        b.create<UnrealizedConversionCastOp>(getMatrixType(type), loaded)
            .getResult(0));
  }
  set(op.getFragment(), fetched);
}

void WmmaAccumulator::lower(MmaOp op) {
  ArrayRef<Value> rows = all(op.getA()), columns = all(op.getB());
  Values acc(all(op.getAcc()));
  auto getLayout = [&](FragmentType type, bool transposed) {
    return isColumnMajor(type, transposed) ? b.getUnitAttr() : UnitAttr();
  };
  auto layoutA = getLayout(op.getA().getType(), op.getATransposed());
  auto layoutB = getLayout(op.getB().getType(), op.getBTransposed());
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, column] : llvm::enumerate(columns)) {
      Value &sum = acc[i * columns.size() + j];
      sum = b.create<gpu::SubgroupMmaComputeOp>(sum.getType(), row, column, sum,
                                                layoutA, layoutB);
    }
  set(op.getResult(), acc);
}

/// Stores the warp's matrices in the CTA's tile in shared memory.
void WmmaAccumulator::lower(AccStageOp op) {
  AccType type = op.getAcc().getType();
  int64_t pitch = op.getPitch();
  Value memory = createSharedView(b, b.getF32Type(), op.getRows() * pitch);
  Value start = b.add(b.mul(one(op.getRow()), pitch), one(op.getColumn()));
  int64_t across = type.getColumns() / shape.n;
  for (auto [i, matrix] : llvm::enumerate(all(op.getAcc()))) {
    int64_t row = i / across * shape.m, column = i % across * shape.n;
    b.create<gpu::SubgroupMmaStoreMatrixOp>(
        matrix, memory, createIndex(b, start, row * pitch + column),
        b.getIndexAttr(pitch), UnitAttr());
  }
  b.create<gpu::BarrierOp>();
}
