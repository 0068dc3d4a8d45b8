//===- DotThreads.cpp - Dot products in threads ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "DotElements.h"
#include "DotEmitter.h"
#include "SharedMemory.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// All lanes of a warp read the same rows, each another vector along k. A
/// thread has a sum for each pair of rows.
class ThreadDots : public DotEmitter {
public:
  ThreadDots(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
      : DotEmitter(c, op, lanes) {}

private:
  int64_t countSums() override { return op.getRows() * groupRows; }
  Value getGroupNumber() override { return number; }
  void multiplyVector(int64_t vector, Value left, ArrayRef<Values> ofMany,
                      ArrayRef<Value> ownScales, ArrayRef<Value> ownZeros,
                      Sums sums) override;
  Values multiplyElements(Value rest, ArrayRef<Value> sums) override;
  void storeSums(Value memory, Value first, ArrayRef<Value> sums) override;

  Values loadUnit(Side side, Value address, Value left);
  Values widen(Side side, ValueRange words, Value zeroPoint = {}) {
    return widenElements(b, sides[side].type, sumType, words, zeroPoint);
  }
  void addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                   ArrayRef<Value> ownScales, Sums sums);
};
} // namespace

/// The words of the elements of a unit: those of a byte, or single ones.
Values ThreadDots::loadUnit(Side side, Value address, Value left) {
  const DotSide &own = sides[side];
  Values words;
  for (int64_t i = 0; i < getUnit(); i += own.getPacked())
    llvm::append_range(words, loadWords(side, address, own.getStorageBytes(),
                                        own.getBytes(i), left, 1));
  return words;
}

/// Adds the products of elements of each row, which are of one group, to
/// `sums`, those of a row of `few` side by side.
void ThreadDots::addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                             ArrayRef<Value> ownScales, Sums sums) {
  Values parts(sums.size());
  if (ownScales.empty())
    llvm::copy(sums, parts.begin());
  size_t columns = ofMany.size();
  for (size_t k = 0; k < ofMany.front().size(); ++k)
    for (size_t row = 0; row < ofFew.size(); ++row)
      for (size_t column = 0; column < columns; ++column) {
        Value &part = parts[row * columns + column];
        part = multiplyAddElements(b, sides[Few].type, sides[Many].type,
                                   ofFew[row][k], ofMany[column][k], part);
      }
  for (auto [i, part] : llvm::enumerate(parts))
    sums[i] = ownScales.empty()
                  ? part
                  : b.create<math::FmaOp>(part, ownScales[i % columns], sums[i])
                        .getResult();
}

void ThreadDots::multiplyVector(int64_t vector, Value left,
                                ArrayRef<Values> ofMany,
                                ArrayRef<Value> ownScales,
                                ArrayRef<Value> ownZeros, Sums sums) {
  SmallVector<Values> few, many;
  for (Value address : sides[Few].addresses)
    few.push_back(widen(Few, loadVector(Few, address, vector, left)));
  for (auto [words, zero] : llvm::zip_equal(ofMany, ownZeros))
    many.push_back(widen(Many, words, zero));
  addProducts(few, many, ownScales, sums);
}

/// Adds the products of the last elements, fewer than a vector: a unit of them
/// a lane. `rest` (i32) are those that no whole trip had.
Values ThreadDots::multiplyElements(Value rest, ArrayRef<Value> sums) {
  int64_t unit = getUnit();
  auto countUnits = [&](Value elements) {
    return unit > 1 ? b.divU(elements, unit) : elements;
  };
  Value last = b.remU(depth, getVector());
  // The lane's own exists if one is left from its number on; `distance` is from
  // the lane's next vector to it, in units.
  Value left = b.sub(countUnits(last), number);
  Value distance = b.sub(b.add(countUnits(b.sub(rest, last)), number),
                         b.mul(number, getVector() / unit));
  Value wide = b.create<arith::ExtSIOp>(b.getI64Type(), distance);
  auto getAddress = [&](Side side, Value address) {
    return b.add(address, b.mul(wide, sides[side].getBytes(unit)));
  };
  Value position;
  if (scales)
    position = b.add(b.sub(depth, last), b.mul(number, unit));
  Values ownScales = loadScales(position, left, 1);
  Values ownZeros = loadZeroPoints(position, left, 1);
  Values result(sums);
  SmallVector<Values> ofMany;
  for (auto [address, zero] : llvm::zip_equal(sides[Many].addresses, ownZeros))
    ofMany.push_back(
        widen(Many, loadUnit(Many, getAddress(Many, address), left), zero));
  for (auto [row, address] : llvm::enumerate(sides[Few].addresses)) {
    Values ofFew = widen(Few, loadUnit(Few, getAddress(Few, address), left));
    addProducts(ofFew, ofMany, ownScales,
                MutableArrayRef<Value>(result).slice(row * ofMany.size(),
                                                     ofMany.size()));
  }
  return result;
}

void ThreadDots::storeSums(Value memory, Value first, ArrayRef<Value> sums) {
  Values totals(sums);
  for (int32_t distance : {16, 8, 4, 2, 1})
    for (Value &total : totals)
      total = addSums(b, total, exchangeSums(b, total, distance));
  buildIf(b, b.equal(c.laneId(), b.i32(0)), [&] {
    for (auto [i, total] : llvm::enumerate(totals))
      b.create<memref::StoreOp>(total, memory, createIndex(b, first, i));
  });
}

std::unique_ptr<DotEmitter> tcgemm::createThreadDots(LoweringContext &c,
                                                     AccDotOp op) {
  int64_t warps = c.analysis.getProgram().getThreads() / 32;
  DotLanes lanes{32, c.laneId(), {}, {}};
  for (int64_t i = 0; i < int64_t(op.getRows()); ++i)
    lanes.fewRows.push_back(c.b.i32(i));
  int64_t groups = warps / int64_t(op.getSlices());
  for (int64_t i = 0; i < int64_t(op.getColumns()) / groups; ++i)
    lanes.manyRows.push_back(c.b.i32(i));
  return std::make_unique<ThreadDots>(c, op, lanes);
}
