//===- DotColumns.cpp - Dot products across rows --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the large operand are neighbours in memory, not the elements of a
// row: a matrix of k by n that is contiguous along n. So neighbouring lanes
// read neighbouring rows at the same k, several rows at a time, and a lane has
// a sum for each of its rows. The other lanes of a warp and the warps of a
// group have other k. All loads of a trip come before its first product.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "DotThreads.h"
#include "SharedMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

namespace {
class ColumnDots : public ThreadDots {
public:
  ColumnDots(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
      : ThreadDots(c, op, lanes), across(*op.getLanes()),
        together(sides[Many].getLoadElements()) {}

private:
  /// The rows of the large operand that a lane has.
  int64_t countOwnRows() const { return groupRows / across; }
  int64_t countSums() override {
    return int64_t(op.getRows()) * countOwnRows();
  }
  Values multiplyVectors(int64_t count, Value start, Value left,
                         ArrayRef<Value> sums) override;
  void storeSums(Value memory, Value first, ArrayRef<Value> sums) override;
  void addProducts(ArrayRef<Value> ofFew, ArrayRef<Values> ofMany, Sums sums);
  Values placeBytes(Value word);

  int64_t across;   // lanes of a warp with different rows
  int64_t together; // rows of a load
};
} // namespace

/// The element of a word in each of its four bytes. dp4a multiplies a word of
/// four rows by it and adds the product of that row alone.
Values ColumnDots::placeBytes(Value word) {
  Values places{word};
  for (int64_t byte = 1; byte < std::min<int64_t>(4, together); ++byte)
    places.push_back(b.create<arith::ShLIOp>(word, b.i32(8 * byte)));
  return places;
}

/// Adds the products at one k: `ofFew` has an element of each row of the small
/// operand, `ofMany` the words of each load of the large one.
void ColumnDots::addProducts(ArrayRef<Value> ofFew, ArrayRef<Values> ofMany,
                             Sums sums) {
  SmallVector<Values> columns;
  for (const Values &words : ofMany)
    columns.push_back(widen(Many, words));
  bool sharesWords = sumType.isInteger(32);
  for (auto [row, element] : llvm::enumerate(ofFew)) {
    Sums own = sums.slice(row * countOwnRows(), countOwnRows());
    Values places = sharesWords ? placeBytes(element) : Values{element};
    for (int64_t i = 0; i < countOwnRows(); ++i) {
      const Values &load = columns[i / together];
      size_t inLoad = i % together;
      Value column = load[sharesWords ? inLoad / places.size() : inLoad];
      own[i] =
          multiplyAddElements(b, sides[Few].type, sides[Many].type,
                              places[inLoad % places.size()], column, own[i]);
    }
  }
}

Values ColumnDots::multiplyVectors(int64_t count, Value /*start*/, Value left,
                                   ArrayRef<Value> sums) {
  SmallVector<SmallVector<Values>> ofMany(count);
  SmallVector<Values> ofFew(count);
  for (int64_t vector = 0; vector < count; ++vector)
    for (Value address : sides[Many].addresses)
      ofMany[vector].push_back(loadVector(Many, address, vector, left));
  for (int64_t vector = 0; vector < count; ++vector)
    for (Value address : sides[Few].addresses)
      llvm::append_range(ofFew[vector],
                         widen(Few, loadVector(Few, address, vector, left)));
  Values result(sums);
  for (int64_t vector = 0; vector < count; ++vector)
    addProducts(ofFew[vector], ofMany[vector], result);
  return result;
}

/// Adds the sums of the lanes that have the same rows, of which the first ones
/// store them.
void ColumnDots::storeSums(Value memory, Value first, ArrayRef<Value> sums) {
  Values totals(sums);
  for (int64_t distance = 16; distance >= across; distance /= 2)
    for (Value &total : totals)
      total = addSums(b, total, exchangeSums(b, total, int32_t(distance)));
  Value lane = c.laneId();
  Value start = b.add(first, b.mul(lane, together));
  buildIf(b, b.lessU(lane, b.i32(across)), [&] {
    for (auto [i, total] : llvm::enumerate(totals)) {
      int64_t row = i / countOwnRows(), own = i % countOwnRows();
      int64_t place =
          row * groupRows + own / together * across * together + own % together;
      b.create<memref::StoreOp>(total, memory, createIndex(b, start, place));
    }
  });
}

std::unique_ptr<DotEmitter> tcgemm::createColumnDots(LoweringContext &c,
                                                     AccDotOp op) {
  IntegerBuilder &b = c.b;
  int64_t warps = c.analysis.getProgram().getThreads() / 32;
  int64_t groups = warps / int64_t(op.getSlices());
  int64_t across = *op.getLanes();
  int64_t together =
      op.getManyBytes() * 8 / getBitWidth(*getScalarType(op.getManyElement()));
  DotLanes lanes{32 / across, b.divU(c.laneId(), across), {}, {}};
  for (int64_t i = 0; i < int64_t(op.getRows()); ++i)
    lanes.fewRows.push_back(b.i32(i));
  // Loads of the lanes are side by side.
  int64_t rows = int64_t(op.getColumns()) / groups;
  Value own = b.mul(b.remU(c.laneId(), across), together);
  for (int64_t at = 0; at < rows; at += across * together)
    lanes.manyRows.push_back(b.add(own, at));
  return std::make_unique<ColumnDots>(c, op, lanes);
}
