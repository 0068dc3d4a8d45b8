//===- AccumulatorSums.cpp - Sums of accumulators -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulatorSums.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace tcgemm;

/// The factor of each of the thread's rows for each scale of columns,
/// row-major.
Values AccumulatorSums::getFactors(AccAddOp op) {
  AccType type = op.getResult().getType();
  int64_t rows = type.getRows() / 32;
  int64_t across = getScalesOfWarp(1, type.getColumns());
  Values factors(rows * across);
  for (Value scales : op.getScales()) {
    bool isOfRows =
        cast<ScalesType>(scales.getType()).getSide() == FragmentRole::A;
    for (int64_t i = 0; i < rows * across; ++i) {
      Value scale = all(scales)[isOfRows ? i / across : i % across];
      factors[i] =
          factors[i] ? b.create<arith::MulFOp>(factors[i], scale) : scale;
    }
  }
  return factors;
}

/// The registers of 64 rows come after one another. Among them, four are of 8
/// columns: two of one row, and two of the row 8 below.
Values AccumulatorSums::addScaled(AccAddOp op) {
  AccType type = op.getResult().getType();
  Values factors = getFactors(op), sums;
  int64_t perStep = type.getColumns() / 2;
  int64_t across = getScalesOfWarp(1, type.getColumns());
  int64_t groupsOfScale = getColumnsOfScale(type.getColumns()) / 8;
  for (auto [i, sum] :
       llvm::enumerate(llvm::zip_equal(all(op.getLhs()), all(op.getRhs())))) {
    auto [total, part] = sum;
    int64_t row = int64_t(i) / perStep * 2 + int64_t(i) % 4 / 2;
    int64_t column = int64_t(i) % perStep / 4 / groupsOfScale;
    sums.push_back(
        b.create<math::FmaOp>(part, factors[row * across + column], total));
  }
  return sums;
}

/// A register of mma_sync is of 16 rows by 8 columns: two rows by two columns.
/// Those of 8 columns after one another come first.
Values AccumulatorSums::addScaledFragments(AccAddOp op) {
  Values sums;
  int64_t across = op.getResult().getType().getColumns() / 8;
  for (auto [i, sum] :
       llvm::enumerate(llvm::zip_equal(all(op.getLhs()), all(op.getRhs())))) {
    auto [total, part] = sum;
    int64_t row = int64_t(i) / across * 2, column = int64_t(i) % across * 2;
    Value factors;
    for (Value scales : op.getScales()) {
      Values own(all(scales));
      bool isOfRows =
          cast<ScalesType>(scales.getType()).getSide() == FragmentRole::A;
      Values four;
      for (int64_t at : {0, 1, 2, 3})
        four.push_back(own[isOfRows ? row + at / 2 : column + at % 2]);
      Value vector = b.create<vector::FromElementsOp>(part.getType(), four);
      factors = factors ? b.create<arith::MulFOp>(factors, vector) : vector;
    }
    sums.push_back(b.create<math::FmaOp>(part, factors, total));
  }
  return sums;
}

void AccumulatorSums::lower(AccAddOp op) {
  if (!op.getScales().empty()) {
    bool isWgmma = op.getResult().getType().getLayout() == AccLayout::Wgmma;
    set(op.getResult(), isWgmma ? addScaled(op) : addScaledFragments(op));
    return;
  }
  Values sums;
  bool isFloat = isa<FloatType>(op.getResult().getType().getElementType());
  for (auto [x, y] : llvm::zip_equal(all(op.getLhs()), all(op.getRhs())))
    sums.push_back(isFloat ? b.create<arith::AddFOp>(x, y).getResult()
                           : b.add(x, y));
  set(op.getResult(), sums);
}

/// Registers are vectors of f16 for mma_sync, two elements in an i32 for wgmma,
/// and single elements in the layout row. f32 needs a register for each
/// element, in the same order.
void AccumulatorSums::lower(AccExtendOp op) {
  auto pairType = VectorType::get({2}, b.getF16Type());
  Values wide;
  for (Value narrow : all(op.getAcc())) {
    if (auto type = dyn_cast<VectorType>(narrow.getType())) {
      wide.push_back(b.create<arith::ExtFOp>(
          VectorType::get(type.getShape(), b.getF32Type()), narrow));
      continue;
    }
    if (narrow.getType().isF16()) {
      wide.push_back(b.create<arith::ExtFOp>(b.getF32Type(), narrow));
      continue;
    }
    Value pair = b.create<LLVM::BitcastOp>(pairType, narrow);
    for (int64_t i : {0, 1})
      wide.push_back(b.create<arith::ExtFOp>(
          b.getF32Type(), b.create<vector::ExtractOp>(pair, i).getResult()));
  }
  set(op.getResult(), wide);
}

void AccumulatorSums::lower(AccScaleOp op) {
  double factor = std::ldexp(1.0, static_cast<int>(op.getExponent()));
  Values scaled;
  for (Value sum : all(op.getAcc())) {
    Type type = sum.getType();
    Attribute value = b.getF32FloatAttr(static_cast<float>(factor));
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, value);
    Value constant = b.create<arith::ConstantOp>(type, cast<TypedAttr>(value));
    scaled.push_back(b.create<arith::MulFOp>(sum, constant));
  }
  set(op.getResult(), scaled);
}

/// The registers of 64 rows come after one another, and among them those of the
/// left columns come first.
void AccumulatorSums::lower(AccSplitOp op) {
  ArrayRef<Value> registers = all(op.getAcc());
  size_t blocks = op.getAcc().getType().getRows() / 64;
  size_t perHalf = registers.size() / blocks / 2;
  Values halves[2];
  for (auto [i, value] : llvm::enumerate(registers))
    halves[i / perHalf % 2].push_back(value);
  set(op.getLeft(), halves[0]);
  set(op.getRight(), halves[1]);
}

/// Loads `count` values of rows or columns: those numbered getNumber(i).
template <typename Op>
Values AccumulatorSums::loadValues(Op op, int64_t count,
                                   function_ref<Value(int64_t)> getNumber) {
  Values loaded;
  for (int64_t i = 0; i < count; ++i)
    loaded.push_back(b.create<memref::LoadOp>(
        one(op.getBase()), b.index(getVectorOffset(op, getNumber(i)))));
  return loaded;
}

void AccumulatorSums::lower(ScalesLoadOp op) {
  ScalesType type = op.getScales().getType();
  bool isOfRows = type.getSide() == FragmentRole::A;
  bool isWgmma = type.getLayout() == AccLayout::Wgmma;
  Value first = one(op.getFirst());
  // Each warp of a warpgroup has 16 of 64 rows.
  if (isOfRows && isWgmma)
    first =
        b.add(first, b.add(b.mul(c.warpInGroup(), 16), b.divU(c.laneId(), 4)));
  else if (isOfRows)
    first = b.add(first, b.divU(c.laneId(), 4));
  else if (!isWgmma)
    first = b.add(first, b.mul(b.remU(c.laneId(), 4), 2));
  Values loaded = loadValues(op, type.getNumRegisters(), [&](int64_t index) {
    return b.divU(b.add(first, type.getDistance(index)),
                  type.getScalesOfBlock());
  });
  Type f32 = b.getF32Type();
  for (Value &scale : loaded)
    if (scale.getType() != f32)
      scale = b.create<arith::ExtFOp>(f32, scale);
  set(op.getScales(), loaded);
}

void AccumulatorSums::lower(ZeroPointsLoadOp op) {
  ZeroPointsType type = op.getZeroPoints().getType();
  Value first = b.add(one(op.getFirst()), b.divU(c.laneId(), 4));
  Values loaded = loadValues(op, type.getExtent() / 8, [&](int64_t index) {
    return b.add(first, 8 * index);
  });
  Type i32 = b.getI32Type();
  for (Value &zero : loaded)
    zero = op.getIsUnsigned() ? b.create<arith::ExtUIOp>(i32, zero).getResult()
                              : b.create<arith::ExtSIOp>(i32, zero).getResult();
  set(op.getZeroPoints(), loaded);
}
