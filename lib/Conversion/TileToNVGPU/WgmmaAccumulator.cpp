//===- WgmmaAccumulator.cpp - Accumulators of wgmma -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaAccumulator.h"
#include "InlineAssembly.h"
#include "WgmmaFragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// Scalars: of pairs, ptxas would wait for each product. Only f16 has pairs,
/// which the instruction writes as one register.
SmallVector<Type> WgmmaAccumulator::expand(AccType type) {
  int64_t elements = type.getRows() / 64 * type.getColumns() / 2;
  if (type.getElementType().isF16())
    return SmallVector<Type>(elements / 2, b.getI32Type());
  return SmallVector<Type>(elements, type.getElementType());
}

SmallVector<Type> WgmmaAccumulator::expand(FragmentType type) {
  return WgmmaFragments(c).expand(type);
}

void WgmmaAccumulator::lower(FragmentLoadOp op) { WgmmaFragments(c).lower(op); }

AccView WgmmaAccumulator::view(EpilogueOp op, bool withValues) {
  AccType type = op.getAcc().getType();
  bool transposed = op.getTransposed();
  Value m = one(op.getM()), n = one(op.getN());
  Value lane = c.laneId(), inGroup = b.remU(c.warpId(), 4);
  Value row =
      b.add(transposed ? n : m, b.add(b.mul(inGroup, 16), b.divU(lane, 4)));
  Value column = b.add(transposed ? m : n, b.mul(b.remU(lane, 4), 2));
  Values rows, columns;
  for (int64_t i = 0; i < type.getRows(); i += 64)
    for (int64_t half : {0, 8})
      rows.push_back(b.add(row, i + half));
  for (int64_t j = 0; j < type.getColumns(); j += 8)
    for (int64_t e : {0, 1})
      columns.push_back(b.add(column, j + e));
  AccView view;
  view.run = transposed ? 1 : 2;
  view.rows = transposed ? columns : rows;
  view.columns = transposed ? rows : columns;
  if (!withValues)
    return view;
  auto arrange = [&](ArrayRef<Value> registers, Values &values) {
    auto at = [&](size_t r, size_t col) {
      return registers[r / 2 * type.getColumns() / 2 + col / 2 * 4 + r % 2 * 2 +
                       col % 2];
    };
    for (size_t i = 0; i < view.rows.size(); ++i)
      for (size_t j = 0; j < view.columns.size(); ++j)
        values.push_back(transposed ? at(j, i) : at(i, j));
  };
  arrange(all(op.getAcc()), view.values);
  if (op.getSecond())
    arrange(all(op.getSecond()), view.seconds);
  return view;
}

/// A warpgroup's rows are wide, so that slices have up to 32 columns.
SliceGrid WgmmaAccumulator::cut(EpilogueOp op, const AccView &view) {
  size_t held = 8;
  while (view.columns.size() % held)
    held -= 2;
  return cutRows(op, view, held, getShape(op).first);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Returns whether the body rounds the sum itself, in order to go on with it.
static bool roundsSum(EpilogueOp op) {
  auto sums = op.getBody().front().getArguments().take_front(op.getNumSums());
  return llvm::any_of(sums, [](BlockArgument sum) {
    return llvm::any_of(sum.getUsers(), [](Operation *user) {
      return isa<arith::TruncFOp>(user) &&
             !llvm::all_of(user->getUsers(), [](Operation *next) {
               return next->hasTrait<OpTrait::IsTerminator>();
             });
    });
  });
}

/// ptxas moves a lone rounding of a sum to f16 up over the wait for it, and
/// then runs the products one after another. A multiplication by one prevents
/// that: ptxas removes it, but too late. LLVM would do so at once.
AccView WgmmaAccumulator::prepareSums(EpilogueOp op, AccView view) {
  if (!roundsSum(op))
    return view;
  for (Values *list : {&view.values, &view.seconds})
    for (Value &value : *list)
      value = createAssembly(b, "mul.rn.f32 $0, $1, 0f3F800000;", "=f,f",
                             b.getF32Type(), value, /*hasSideEffects=*/false);
  return view;
}

/// Returns whether both are conversions of f32 to the same type of 16 bits.
static bool canConvertTogether(arith::TruncFOp low, arith::TruncFOp high) {
  return low && high && low.getIn().getType().isF32() &&
         high.getIn().getType().isF32() && low.getType() == high.getType() &&
         low.getType().getIntOrFloatBitWidth() == 16;
}

/// The number whose maximum with zero is `value`; null if it is no such
/// maximum.
static Value getUnclamped(Value value) {
  auto maximum = value.getDefiningOp<arith::MaximumFOp>();
  return maximum && matchPattern(maximum.getRhs(), m_PosZeroFloat())
             ? maximum.getLhs()
             : Value();
}

/// Rounds two numbers of f32 to a type of 16 bits, in one instruction. If both
/// are results of a ReLU, this instruction computes it, too.
static Value convertPair(IntegerBuilder &b, arith::TruncFOp low,
                         arith::TruncFOp high) {
  auto type = VectorType::get({2}, low.getType());
  Value unclampedLow = getUnclamped(low.getIn()),
        unclampedHigh = getUnclamped(high.getIn());
  bool isClamped = unclampedLow && unclampedHigh;
  auto create = [&](auto operation) -> Value {
    return b.create<decltype(operation)>(
        type, isClamped ? unclampedHigh : high.getIn(),
        isClamped ? unclampedLow : low.getIn(), /*random_bits=*/Value(),
        NVVM::FPRoundingMode::RN, NVVM::SaturationMode::NONE, isClamped);
  };
  return low.getType().isBF16() ? create(NVVM::ConvertF32x2ToBF16x2Op())
                                : create(NVVM::ConvertF32x2ToF16x2Op());
}

/// Rounds neighbours together: of two conversions and a move, ptxas believes
/// that they read accumulators in flight.
void WgmmaAccumulator::finishResults(EpilogueOp op, size_t columns,
                                     MutableArrayRef<Value> results) {
  size_t distance = op.getTransposed() ? columns : 1;
  for (size_t i = 0; i + distance < results.size(); ++i) {
    auto low = results[i].getDefiningOp<arith::TruncFOp>();
    auto high = results[i + distance].getDefiningOp<arith::TruncFOp>();
    if (i / distance % 2 || !canConvertTogether(low, high))
      continue;
    Value pair = convertPair(b, low, high);
    results[i] = b.create<vector::ExtractOp>(pair, 0);
    results[i + distance] = b.create<vector::ExtractOp>(pair, 1);
  }
}
