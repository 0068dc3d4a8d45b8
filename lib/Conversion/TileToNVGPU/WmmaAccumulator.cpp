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
// instead. The store always has the depth 16, so that sums of tf32 take
// nvvm.wmma.store too.
//
//===----------------------------------------------------------------------===//

#include "WmmaAccumulator.h"
#include "OperandRounding.h"
#include "SharedMemory.h"
#include "WmmaMatrices.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tcgemm;

Type WmmaAccumulator::getSumsType(Type element) const {
  return gpu::MMAMatrixType::get({shape.m, shape.n}, element, "COp");
}

Type WmmaAccumulator::getOperandType(FragmentType fragment) const {
  return getMatrixType(fragment);
}

SmallVector<Type> WmmaAccumulator::expand(AccType type) {
  return SmallVector<Type>(type.getRows() / shape.m *
                               (type.getColumns() / shape.n),
                           getSumsType(type.getElementType()));
}

SmallVector<Type> WmmaAccumulator::expand(FragmentType type) {
  return SmallVector<Type>(type.getRows() / getUnit(type),
                           getOperandType(type));
}

/// Rows or columns of one instruction.
int64_t WmmaAccumulator::getUnit(FragmentType fragment) const {
  return fragment.getRole() == FragmentRole::A ? shape.m : shape.n;
}

/// The element type of a matrix of operands. A matrix of f32 is one of tf32,
/// and integers have their sign.
static Type getMatrixElement(FragmentType fragment) {
  MLIRContext *context = fragment.getContext();
  switch (*getScalarType(fragment.getElementType())) {
  case ScalarType::I8:
    return IntegerType::get(context, 8, IntegerType::Signed);
  case ScalarType::TF32:
    return Float32Type::get(context);
  default:
    return fragment.getElementType();
  }
}

/// The matrix of one instruction that the fragment consists of.
gpu::MMAMatrixType WmmaAccumulator::getMatrixType(FragmentType fragment) const {
  Type element = getMatrixElement(fragment);
  if (fragment.getRole() == FragmentRole::A)
    return gpu::MMAMatrixType::get({shape.m, shape.k}, element, "AOp");
  return gpu::MMAMatrixType::get({shape.k, shape.n}, element, "BOp");
}

/// Returns whether wmma sees the matrix column by column: A's columns and B's
/// rows run along m and n.
static bool isColumnMajor(FragmentType fragment, bool transposed) {
  return (fragment.getRole() == FragmentRole::A) == transposed;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value WmmaAccumulator::createZeros(Type element) {
  return b.create<gpu::SubgroupMmaConstantMatrixOp>(getSumsType(element),
                                                    b.zero(element));
}

void WmmaAccumulator::lower(AccZeroOp op) {
  AccType type = op.getAcc().getType();
  Value zeros = createZeros(type.getElementType());
  set(op.getAcc(), Values(expand(type).size(), zeros));
}

/// Rounds the elements of a fragment's matrix, whichever thread holds them.
Value WmmaAccumulator::roundMatrix(Operation *op, FragmentType fragment,
                                   Value matrix) {
  ScalarType type = *getScalarType(fragment.getElementType());
  if (!roundsOperands(type))
    return matrix;
  Value registers = b.create<UnrealizedConversionCastOp>(
                         convertMMAToLLVMType(getMatrixType(fragment)), matrix)
                        .getResult(0);
  auto list = cast<LLVM::LLVMStructType>(registers.getType()).getBody();
  for (auto [i, registerType] : llvm::enumerate(list)) {
    Value element = b.create<arith::BitcastOp>(
        b.getF32Type(), b.create<LLVM::ExtractValueOp>(registers, i));
    Value rounded = b.create<arith::BitcastOp>(
        registerType, roundOperand(b, op, type, element));
    registers = b.create<LLVM::InsertValueOp>(registers, rounded, i);
  }
  return b.create<UnrealizedConversionCastOp>(matrix.getType(), registers)
      .getResult(0);
}

Value WmmaAccumulator::loadShared(FragmentLoadOp op, Value index,
                                  int64_t constant, int64_t pitch) {
  FragmentType type = op.getFragment().getType();
  auto columnMajor =
      isColumnMajor(type, op.getTransposed()) ? b.getUnitAttr() : UnitAttr();
  Value matrix = b.create<gpu::SubgroupMmaLoadMatrixOp>(
      getMatrixType(type), one(op.getRing()), createIndex(b, index, constant),
      b.getIndexAttr(pitch), columnMajor);
  return roundMatrix(op, type, matrix);
}

void WmmaAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  RingType ring = op.getRing().getType();
  int64_t bytes = getStorageBits(type.getElementType()) / 8;
  int64_t pitch = ring.getTiles()[op.getTile()].getRowBytes() / bytes;
  // Tiles of elements that share bytes count bytes.
  int64_t k =
      op.getKStep() * shape.k / getPackedElements(type.getElementType());
  bool transposed = op.getTransposed();
  Value first = b.mul(one(op.getWarp()), type.getRows());
  Value offset =
      b.add(one(op.getState()), transposed ? first : b.mul(first, pitch));
  int64_t base =
      ring.getTileOffset(op.getTile()) / bytes + (transposed ? k * pitch : k);
  Values loaded;
  for (int64_t side = 0; side < type.getRows(); side += getUnit(type))
    loaded.push_back(loadShared(
        op, offset, base + (transposed ? side : side * pitch), pitch));
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

Value WmmaAccumulator::loadGlobal(FragmentFetchOp op, Value address,
                                  Value pitch) {
  FragmentType type = op.getFragment().getType();
  auto layout = isColumnMajor(type, op.getTransposed()) ? NVVM::MMALayout::col
                                                        : NVVM::MMALayout::row;
  Value loaded = createWmmaLoad(b, b.getLoc(), getMatrixType(type), shape,
                                layout, address, pitch);
  Value matrix =
      b.create<UnrealizedConversionCastOp>(getMatrixType(type), loaded)
          .getResult(0);
  return roundMatrix(op, type, matrix);
}

void WmmaAccumulator::lower(FragmentFetchOp op) {
  FragmentType type = op.getFragment().getType();
  int64_t unit = getUnit(type);
  Value last = b.sub(one(op.getExtent()), b.i32(unit));
  Value stride = one(op.getStride());
  Value pitch = b.trunc(stride);
  Values fetched;
  for (int64_t side = 0; side < type.getRows(); side += unit) {
    Value offset = b.ext(b.minU(b.add(one(op.getFirst()), side), last));
    if (!op.getTransposed())
      offset = b.mul(offset, stride);
    Value address = getGlobalAddress(one(op.getBase()),
                                     b.add(one(op.getAddress()), offset));
    fetched.push_back(loadGlobal(op, address, pitch));
  }
  set(op.getFragment(), fetched);
}

Value WmmaAccumulator::multiply(MmaOp op, Value row, Value column, Value sums) {
  auto getLayout = [&](FragmentType type, bool transposed) {
    return isColumnMajor(type, transposed) ? b.getUnitAttr() : UnitAttr();
  };
  return b.create<gpu::SubgroupMmaComputeOp>(
      sums.getType(), row, column, sums,
      getLayout(op.getA().getType(), op.getATransposed()),
      getLayout(op.getB().getType(), op.getBTransposed()));
}

void WmmaAccumulator::lower(MmaOp op) {
  ArrayRef<Value> rows = all(op.getA()), columns = all(op.getB());
  Values acc(all(op.getAcc()));
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, column] : llvm::enumerate(columns)) {
      Value &sum = acc[i * columns.size() + j];
      sum = multiply(op, row, column, sum);
    }
  set(op.getResult(), acc);
}

Values WmmaAccumulator::getRegisters(Value sums) {
  auto type = cast<LLVM::LLVMStructType>(
      convertMMAToLLVMType(cast<gpu::MMAMatrixType>(sums.getType())));
  Value all = b.create<UnrealizedConversionCastOp>(type, sums).getResult(0);
  Values registers;
  for (size_t i = 0; i < type.getBody().size(); ++i)
    registers.push_back(b.create<LLVM::ExtractValueOp>(all, i));
  return registers;
}

void WmmaAccumulator::storeRegisters(ValueRange registers, Value address,
                                     Value pitch) {
  auto type = registers.front().getType().isF32() ? NVVM::MMATypes::f32
                                                  : NVVM::MMATypes::s32;
  b.create<NVVM::WMMAStoreOp>(address, shape.m, shape.n, shape.k,
                              NVVM::MMALayout::row, type, registers, pitch);
}

/// Stores a matrix of sums to element `index` (i32) of a view of shared memory.
void WmmaAccumulator::storeShared(Value matrix, Value memory, Value index,
                                  int64_t pitch) {
  if (storesByGpu()) {
    b.create<gpu::SubgroupMmaStoreMatrixOp>(matrix, memory, b.index(index),
                                            b.getIndexAttr(pitch), UnitAttr());
    return;
  }
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  Value base = createSharedBase(b);
  Value address =
      b.create<LLVM::GEPOp>(base.getType(), element, base, LLVM::GEPArg(index));
  storeRegisters(getRegisters(matrix), address, b.i32(pitch));
}

/// Stores the warp's matrices in the CTA's tile in shared memory.
void WmmaAccumulator::lower(AccStageOp op) {
  AccType type = op.getAcc().getType();
  int64_t pitch = op.getPitch();
  Value memory =
      createSharedView(b, type.getElementType(), op.getRows() * pitch);
  Value start = b.add(b.mul(one(op.getRow()), pitch), one(op.getColumn()));
  int64_t across = type.getColumns() / shape.n;
  for (auto [i, matrix] : llvm::enumerate(all(op.getAcc()))) {
    int64_t row = i / across * shape.m, column = i % across * shape.n;
    storeShared(matrix, memory, b.add(start, row * pitch + column), pitch);
  }
  b.create<gpu::BarrierOp>();
}
