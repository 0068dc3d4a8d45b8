//===- WgmmaFragments.cpp - A of wgmma in registers -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaFragments.h"
#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "WgmmaConversion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tcgemm;

/// The rows of a lane among 64, and the words of its piece of one row.
static constexpr int64_t kLaneRows = 2, kWords = 4;
/// Registers of one instruction.
static constexpr int64_t kRegisters = 4;

/// The bytes of a row of A of one instruction.
static constexpr int64_t kInstructionBytes = 32;

static int64_t getRowBytes(FragmentType type) {
  return type.getDepth() * getElementBits(type.getElementType()) / 8;
}

/// Returns whether a lane has its pieces of rows as they are in memory.
static bool holdsPieces(FragmentType type) {
  return getRowBytes(type) < kInstructionBytes;
}

/// The words of a row that a lane loads for each step. The four lanes of a row
/// load all of its words, unless each word has the elements of one lane.
static int64_t getWords(FragmentType type) {
  return isInterleaved(*getScalarType(type.getElementType())) ? 1 : kWords;
}

SmallVector<Type> WgmmaFragments::expand(FragmentType type) {
  int64_t each = holdsPieces(type)
                     ? kLaneRows * getWords(type)
                     : getRowBytes(type) / kInstructionBytes * kRegisters;
  return SmallVector<Type>(int64_t(type.getRows()) / 64 * each, b.getI32Type());
}

void WgmmaFragments::lower(FragmentLoadOp op) {
  bool isNarrow = holdsPieces(op.getFragment().getType());
  set(op.getFragment(), isNarrow             ? loadPieces(op)
                        : op.getTransposed() ? loadTransposed(op)
                                             : loadMatrices(op));
}

Value WgmmaFragments::getPlace(FragmentLoadOp op, Value row, Value chunk) {
  RingType ring = op.getRing().getType();
  return b.add(b.mul(one(op.getState()), ring.getStageBytes()),
               getBoxOffset(b, ring.getTiles()[op.getTile()], row, chunk));
}

/// Stages start at multiples of a row's size, so that the step changes bits of
/// the lane's offset only. The rows of a lane are multiples of 8 apart, as the
/// rows of a swizzle's pattern are.
Value WgmmaFragments::getOffset(FragmentLoadOp op, Value row, Value chunk,
                                int64_t stepBytes) {
  Value first =
      b.add(b.mul(one(op.getWarp()), op.getFragment().getType().getRows()),
            b.add(b.mul(c.warpInGroup(), 16), row));
  return b.bitXor(getPlace(op, first, chunk), op.getKStep() * stepBytes);
}

int64_t WgmmaFragments::getConstant(FragmentLoadOp op) {
  return analysis.getSharedMemory().getStages(op.getRing()) +
         op.getRing().getType().getTileOffset(op.getTile());
}

// TMA's swizzle puts the pieces of 8 rows into different banks.
Values WgmmaFragments::loadPieces(FragmentLoadOp op) {
  int64_t rowBytes =
      op.getRing().getType().getTiles()[op.getTile()].getRowBytes();
  int64_t count = getWords(op.getFragment().getType());
  Value offset = getOffset(op, b.divU(c.laneId(), 4), b.i32(0), 16);
  if (count == 1)
    offset = b.add(offset, b.mul(b.remU(c.laneId(), 4), 4));
  auto words = VectorType::get({count}, b.getI32Type());
  Values loaded;
  for (int64_t each = 0; each < int64_t(op.getFragment().getType().getRows());
       each += 64)
    for (int64_t half : {0, 8}) {
      Value address = createSharedAddress(
          c, offset, getConstant(op) + (each + half) * rowBytes);
      Value piece =
          b.create<LLVM::LoadOp>(words, address, /*alignment=*/4 * count);
      for (int64_t i = 0; i < count; ++i)
        loaded.push_back(b.create<LLVM::ExtractElementOp>(piece, b.i32(i)));
    }
  return loaded;
}

/// nvgpu.ldmatrix reads from a memref, which the ring of a program with roles
/// is not.
Values WgmmaFragments::loadMatrix(Value offset, int64_t constant,
                                  bool isTransposed) {
  std::string text =
      llvm::formatv("ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 "
                    "{{$0, $1, $2, $3}, [$4];",
                    isTransposed ? ".trans" : "");
  Value address = b.create<LLVM::PtrToIntOp>(
      b.getI32Type(), createSharedAddress(c, offset, constant));
  SmallVector<Type> types(kRegisters, b.getI32Type());
  return createAssembly(b, text, "=r,=r,=r,=r,r", types, ValueRange(address));
}

Values WgmmaFragments::loadMatrices(FragmentLoadOp op) {
  int64_t rowBytes =
      op.getRing().getType().getTiles()[op.getTile()].getRowBytes();
  Value lane = c.laneId();
  Value offset =
      getOffset(op, b.remU(lane, 16), b.divU(lane, 16), /*stepBytes=*/32);
  Values loaded;
  for (int64_t each = 0; each < int64_t(op.getFragment().getType().getRows());
       each += 64)
    loaded.append(loadMatrix(offset, getConstant(op) + each * rowBytes,
                             /*isTransposed=*/false));
  return loaded;
}

/// The rows of the tile run along m, 64 elements each, and those of the
/// matrices are read as columns. The first element of the warpgroup is a
/// multiple of 64, the first row of a step a multiple of the swizzle's 8.
Values WgmmaFragments::loadTransposed(FragmentLoadOp op) {
  int64_t rowBytes =
      op.getRing().getType().getTiles()[op.getTile()].getRowBytes();
  int64_t blocks = int64_t(op.getFragment().getType().getRows()) / 64;
  int64_t rowsOfBlock = *op.getDepth();
  Value lane = c.laneId(), matrix = b.divU(lane, 8);
  Value row = b.add(b.mul(b.divU(matrix, 2), 8), b.remU(lane, 8));
  Value chunk = b.add(b.mul(c.warpInGroup(), 2), b.remU(matrix, 2));
  Value block = b.mul(one(op.getWarp()), blocks);
  Value offset = getPlace(op, b.add(b.mul(block, rowsOfBlock), row), chunk);
  Values loaded;
  for (int64_t each = 0; each < blocks; ++each)
    loaded.append(loadMatrix(
        offset,
        getConstant(op) +
            (each * rowsOfBlock + int64_t(op.getKStep()) * 16) * rowBytes,
        /*isTransposed=*/true));
  return loaded;
}

void WgmmaFragments::lower(FragmentConvertOp op) {
  FragmentType from = op.getFragment().getType();
  ScalarType type = *getScalarType(from.getElementType());
  ScalarType wide = *getScalarType(op.getResult().getType().getElementType());
  Values zeroPoints(from.getRows() / 64 * kLaneRows);
  if (op.getZeroPoints())
    zeroPoints.assign(all(op.getZeroPoints()));
  Value lane = b.remU(c.laneId(), 4);
  SmallVector<WgmmaConversion> conversions; // of the lane's rows
  for (Value zero : zeroPoints) {
    if (zero)
      zero = b.create<arith::SIToFPOp>(b.getF32Type(), zero);
    conversions.emplace_back(b, type, wide, lane, zero);
  }
  int64_t instructions =
      getRowBytes(op.getResult().getType()) / kInstructionBytes;
  Values converted;
  // Computations with pinned registers stay behind the wait for the products
  // that read the result's registers before.
  Values words = pinRegisters(b, all(op.getFragment()));
  int64_t count = getWords(from);
  for (size_t first = 0; first < conversions.size(); first += kLaneRows)
    for (int64_t i = 0; i < instructions; ++i)
      // The registers alternate between the lane's rows, and then along k.
      for (int64_t half : {0, 1})
        for (int64_t row = first; row < int64_t(first) + kLaneRows; ++row)
          converted.push_back(conversions[row].convert(
              ArrayRef<Value>(words).slice(row * count, count), 2 * i + half));
  set(op.getResult(), converted);
}
