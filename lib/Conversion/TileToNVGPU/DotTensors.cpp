//===- DotTensors.cpp - Dot products in tensor cores ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights, of 4 bits, are the 16 rows of A of an instruction and the small
// operand its 8 columns. The four lanes of a row read the next four vectors of
// k: the sum over k may have any order, if both operands have the same. In a
// word, element i of the weights is multiplied beside element i + 4, which one
// logical operation takes from the same word. The elements of the small operand
// are permuted accordingly. Missing columns are copies of existing ones, whose
// sums are not stored.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "DotCopies.h"
#include "DotElements.h"
#include "DotEmitter.h"
#include "FragmentPieces.h"
#include "InlineAssembly.h"
#include "IntegerPairs.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Target/Instructions.h"
#include <cmath>

using namespace mlir;
using namespace tcgemm;

/// The lanes of a row; and the rows of the small operand in an instruction,
/// which are also the distance between a lane's rows.
static constexpr int64_t kLanes = 4, kRows = 8;

/// Iterations before their use in which scales and zero points of copied
/// vectors are loaded: two loads from DRAM take longer than an iteration.
static constexpr int64_t kGroupTripsAhead = 2;

namespace {
class TensorDots : public DotEmitter {
public:
  TensorDots(LoweringContext &c, AccDotOp op, const DotLanes &lanes)
      : DotEmitter(c, op, lanes), blocks(groupRows / (2 * kRows)),
        columns(llvm::divideCeil(int64_t(op.getRows()), kRows)),
        element(getElementType(sides[Few].type, b.getContext())) {}

private:
  /// The scales and zero points of a vector's rows as they are in memory.
  struct Groups {
    Values scales, zeros;
  };
  /// Multiplies trip number `trip` (i32) with what trips carry; all elements of
  /// a whole one exist.
  using Trip =
      llvm::function_ref<Values(Value trip, ValueRange carried, bool isWhole)>;
  /// The part of a vector that a lane has loaded, long before it is multiplied:
  /// the words of its rows, and their groups.
  struct Loaded {
    SmallVector<Values> words;
    Groups groups;
  };

  Values multiplyRows() override;
  void storeSums(Value memory, Value first, ArrayRef<Value> sums) override;

  Value getLeft(Value start, Value lane) {
    return b.sub(b.sub(depth, start), b.mul(lane, getVector()));
  }
  int64_t getTripElements() const { return unroll * getRound(); }
  Groups loadGroups(int64_t vector, Value start, bool isWhole);
  void multiplyVector(int64_t vector, Value left, ArrayRef<Values> words,
                      const Groups &groups, Sums sums);
  Values finishTrip(ArrayRef<Value> others);
  Values multiplyLoadedTrip(Value trip, ValueRange carried, bool isWhole);
  Values multiplyCopiedTrip(DotCopies &copies, Value trip, ValueRange carried,
                            bool isWhole);
  Values startCopies(DotCopies &copies);
  Values multiplyTrips(Value trips, ArrayRef<Value> carried, Trip multiply);
  void loadTripGroups(Value start, Values &list);
  Values multiplyElements(Value trips, ArrayRef<Value> sums);
  Values pairElements(ArrayRef<Value> words);
  Value join(ArrayRef<Value> registers);
  void addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                   ArrayRef<Value> ownScales, ArrayRef<Value> ownZeros,
                   Sums sums);
  void addPartialSums(ArrayRef<Value> partial, ArrayRef<Value> ownScales,
                      bool adds, Sums sums);

  /// Blocks of 16 by 8, four elements of each.
  int64_t countSums() const { return 4 * blocks * columns; }

  int64_t blocks, columns; // along the large operand, and along the small one
  Type element;
};
} // namespace

/// Eight elements of the small operand, of four words, as pairs of i and i + 4.
Values TensorDots::pairElements(ArrayRef<Value> words) {
  auto type = VectorType::get({2}, element);
  Values pairs;
  for (size_t i = 0; i < words.size(); ++i)
    pairs.push_back(b.create<LLVM::BitcastOp>(
        type, createPermute(b, words[i / 2], words[i / 2 + 2],
                            i % 2 ? 0x7632 : 0x5410)));
  return pairs;
}

/// The operand of an instruction.
Value TensorDots::join(ArrayRef<Value> registers) {
  auto type = VectorType::get({int64_t(registers.size()), 2}, element);
  Value joined = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  for (auto [i, value] : llvm::enumerate(registers))
    joined = b.create<vector::InsertOp>(value, joined,
                                        ArrayRef<int64_t>{int64_t(i)});
  return joined;
}

/// Adds the products of the words of the lane's rows, which are of one group.
/// An instruction waits for the preceding one that adds to the same sums. Its
/// neighbours in the code therefore add to others, and elements are converted
/// just before they are multiplied.
void TensorDots::addProducts(ArrayRef<Values> ofFew, ArrayRef<Values> ofMany,
                             ArrayRef<Value> ownScales,
                             ArrayRef<Value> ownZeros, Sums sums) {
  auto sumsType = VectorType::get({2, 2}, sumType);
  SmallVector<IntegerPairs> pairs;
  for (Value zero : ownZeros)
    pairs.emplace_back(b, sides[Many].type, sides[Few].type, zero);
  // The partial sums of each block and column, side by side. Those of a group
  // start at zero, and so do all if there are several of a block and column.
  int64_t tiles = blocks * columns, parts = tiles == 1 ? 2 : 1;
  bool startsAtZero = !ownScales.empty() || parts > 1;
  Values partial;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    Values starts(sums.slice(4 * tile, 4));
    if (startsAtZero)
      starts.assign(starts.size(), b.zero(sumType));
    partial.append(parts, b.create<vector::FromElementsOp>(sumsType, starts));
  }
  for (size_t word = 0; word < ofMany.front().size(); ++word) {
    SmallVector<Values> few;
    for (ArrayRef<Value> words : ofFew)
      few.push_back(pairElements(words.slice(4 * word, 4)));
    for (int64_t block = 0; block < blocks; ++block) {
      Values rows[2];
      for (int64_t half : {0, 1})
        rows[half] =
            pairs[2 * block + half].convertWord(ofMany[2 * block + half][word]);
      for (size_t i = 0; i < rows[0].size(); i += 2)
        for (int64_t column = 0; column < columns; ++column) {
          Value &part = partial[parts * (block * columns + column) +
                                int64_t(i / 2) % parts];
          part = b.create<nvgpu::MmaSyncOp>(
              join({rows[0][i], rows[1][i], rows[0][i + 1], rows[1][i + 1]}),
              join({few[column][i], few[column][i + 1]}), part,
              ArrayRef<int64_t>{16, 8, 16});
        }
    }
  }
  for (int64_t tile = 0; tile < tiles; ++tile)
    addPartialSums(ArrayRef<Value>(partial).slice(parts * tile, parts),
                   ownScales.empty() ? ownScales
                                     : ownScales.slice(2 * (tile / columns), 2),
                   startsAtZero, sums.slice(4 * tile, 4));
}

/// Sets the sums of a block and column to the partial ones, or adds these,
/// multiplied by the scales of the block's rows if there are any.
void TensorDots::addPartialSums(ArrayRef<Value> partial,
                                ArrayRef<Value> ownScales, bool adds,
                                Sums sums) {
  for (int64_t i = 0; i < int64_t(sums.size()); ++i) {
    Value sum;
    for (Value part : partial) {
      Value element =
          b.create<vector::ExtractOp>(part, ArrayRef<int64_t>{i / 2, i % 2});
      sum = sum ? addSums(b, sum, element) : element;
    }
    if (!ownScales.empty())
      sums[i] = b.create<math::FmaOp>(sum, ownScales[i / 2], sums[i]);
    else
      sums[i] = adds ? addSums(b, sums[i], sum) : sum;
  }
}

/// Loads the groups of vector `vector` of the lane's rows, from the current
/// addresses on. `start` (i32) is where these are along k, without the lane.
/// The lanes of a row add their products, so that they have one group.
TensorDots::Groups TensorDots::loadGroups(int64_t vector, Value start,
                                          bool isWhole) {
  if (!scales)
    return {};
  Value position =
      b.add(b.add(start, b.mul(firstNumber, getVector())), vector * getRound());
  int64_t least = vector * getRound() + getVector();
  Value left = isWhole ? Value() : getLeft(start, firstNumber);
  return {loadScales(position, left, least),
          loadZeroPoints(position, left, least)};
}

/// Adds the products of a vector. `left` (i32) are the elements from the lane's
/// first one of the trip on; null if all exist.
void TensorDots::multiplyVector(int64_t vector, Value left,
                                ArrayRef<Values> words, const Groups &groups,
                                Sums sums) {
  SmallVector<Values> few;
  for (Value address : sides[Few].addresses)
    few.push_back(loadVector(Few, address, vector, left));
  addProducts(few, words, widenScales(groups.scales),
              widenZeroPoints(groups.zeros), sums);
}

/// The results of a trip: the addresses behind it, and `others`.
Values TensorDots::finishTrip(ArrayRef<Value> others) {
  Values results;
  for (const DotSide &side : sides)
    for (Value address : side.addresses)
      results.push_back(b.add(address, side.getBytes(getTripElements())));
  llvm::append_range(results, others);
  return results;
}

/// Multiplies the vectors of a trip, all of which are loaded before.
Values TensorDots::multiplyLoadedTrip(Value trip, ValueRange carried,
                                      bool isWhole) {
  Value start = b.mul(trip, getTripElements());
  Value left = isWhole ? Value() : getLeft(start, number);
  Values sums = adopt(carried);
  SmallVector<Loaded> ahead(unroll);
  for (auto [vector, loaded] : llvm::enumerate(ahead)) {
    for (Value address : sides[Many].addresses)
      loaded.words.push_back(loadVector(Many, address, int64_t(vector), left));
    loaded.groups = loadGroups(int64_t(vector), start, isWhole);
  }
  for (const auto &[vector, loaded] : llvm::enumerate(ahead))
    multiplyVector(int64_t(vector), left, loaded.words, loaded.groups, sums);
  return finishTrip(sums);
}

/// Appends the groups of all vectors of a trip, which may be behind the last.
void TensorDots::loadTripGroups(Value start, Values &list) {
  for (int64_t vector = 0; vector < unroll; ++vector) {
    Groups groups = loadGroups(vector, start, /*isWhole=*/false);
    llvm::append_range(list, groups.scales);
    llvm::append_range(list, groups.zeros);
  }
}

/// Multiplies the vectors of a trip, which are in shared memory, after it has
/// started the copies of a later one. Behind the addresses, trips carry the
/// stage, the groups of the next trips, and the sums.
Values TensorDots::multiplyCopiedTrip(DotCopies &copies, Value trip,
                                      ValueRange carried, bool isWhole) {
  Values rest = adopt(carried);
  Value stage = rest.front();
  Values sums(ArrayRef(rest).take_back(countSums()));
  ArrayRef<Value> ahead = ArrayRef(rest).drop_front().drop_back(countSums());
  auto getStart = [&](int64_t tripsAhead) {
    return b.mul(b.add(trip, tripsAhead), getTripElements());
  };
  copies.wait();
  copies.copy(copies.getPrevious(stage), sides[Many].addresses,
              getLeft(getStart(copies.getStages() - 1), number));
  Values others{copies.getNext(stage)};
  size_t perTrip = ahead.size() / kGroupTripsAhead;
  llvm::append_range(others, ahead.drop_front(perTrip));
  loadTripGroups(getStart(kGroupTripsAhead), others);
  Value left = isWhole ? Value() : getLeft(getStart(0), number);
  size_t perVector = perTrip / unroll;
  size_t numScales = scales ? scales->starts.size() : 0;
  for (int64_t vector = 0; vector < unroll; ++vector) {
    ArrayRef<Value> own = ahead.slice(vector * perVector, perVector);
    multiplyVector(
        vector, left, copies.load(stage, vector),
        {Values(own.take_front(numScales)), Values(own.drop_front(numScales))},
        sums);
  }
  llvm::append_range(others, sums);
  return finishTrip(others);
}

/// Starts the copies of the first trips. Returns what the first trip takes.
Values TensorDots::startCopies(DotCopies &copies) {
  const DotSide &many = sides[Many];
  Values carried(sides[Few].addresses), addresses(many.addresses);
  Value stage = b.i32(0);
  for (int64_t trip = 0; trip < copies.getStages() - 1; ++trip) {
    copies.copy(stage, addresses,
                getLeft(b.i32(trip * getTripElements()), number));
    stage = copies.getNext(stage);
    for (Value &address : addresses)
      address = b.add(address, many.getBytes(getTripElements()));
  }
  llvm::append_range(carried, addresses);
  carried.push_back(b.i32(0));
  for (int64_t trip = 0; trip < kGroupTripsAhead; ++trip)
    loadTripGroups(b.i32(trip * getTripElements()), carried);
  carried.append(countSums(), b.zero(sumType));
  return carried;
}

/// Multiplies whole trips in a loop, in which no load needs a predicate, and
/// then the vectors of another one if there are some.
Values TensorDots::multiplyTrips(Value trips, ArrayRef<Value> carried,
                                 Trip multiply) {
  Value whole = b.divU(depth, getTripElements());
  auto loop = b.create<scf::ForOp>(b.i32(0), whole, b.i32(1), carried);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    b.create<scf::YieldOp>(multiply(loop.getInductionVar(),
                                    loop.getRegionIterArgs(),
                                    /*isWhole=*/true));
  }
  Values results(loop.getResults());
  auto multiplyRest = [&] {
    return multiply(whole, results, /*isWhole=*/false);
  };
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    return *known % getTripElements() < getVector() ? results : multiplyRest();
  return buildIfElse(b, b.notEqual(trips, whole),
                     ValueRange(results).getTypes(), multiplyRest,
                     [&] { return results; });
}

Values TensorDots::multiplyRows() {
  Value trips =
      b.ceilDiv(b.divU(depth, getVector()), getTripElements() / getVector());
  Values rest;
  if (op.getStages()) {
    DotCopies copies(c, *this, unroll);
    rest =
        adopt(multiplyTrips(trips, startCopies(copies),
                            [&](Value trip, ValueRange carried, bool isWhole) {
                              return multiplyCopiedTrip(copies, trip, carried,
                                                        isWhole);
                            }));
    // The addresses are those of the next copies.
    int64_t ahead = (copies.getStages() - 1) * getTripElements();
    for (Value &address : sides[Many].addresses)
      address = b.sub(address, b.i64(sides[Many].getBytes(ahead)));
  } else {
    Values carried(sides[Few].addresses);
    llvm::append_range(carried, sides[Many].addresses);
    carried.append(countSums(), b.zero(sumType));
    rest = adopt(multiplyTrips(
        trips, carried, [&](Value trip, ValueRange carried, bool isWhole) {
          return multiplyLoadedTrip(trip, carried, isWhole);
        }));
  }
  Values sums(ArrayRef(rest).take_back(countSums()));
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    return *known % getVector() ? multiplyElements(trips, sums) : sums;
  Value isRagged = b.notEqual(b.remU(depth, getVector()), b.i32(0));
  return buildIfElse(
      b, isRagged, ValueRange(sums).getTypes(),
      [&] { return multiplyElements(trips, sums); }, [&] { return sums; });
}

/// The first lane of each row of the first warp has all of the last elements,
/// byte by byte, and the other lanes have zeros. So do scales of other warps,
/// because they may be infinite.
Values TensorDots::multiplyElements(Value trips, ArrayRef<Value> sums) {
  Value last = b.remU(depth, getVector());
  auto getLeft = [&](Value lane) {
    return b.select(b.equal(lane, b.i32(0)), last, b.i32(0));
  };
  Value left = getLeft(number), leftOfGroup = getLeft(firstNumber);
  // From the addresses behind the last trip, which may be further.
  Value vectors = b.sub(b.divU(depth, getVector()),
                        b.mul(trips, getTripElements() / getVector()));
  Value distance = b.create<arith::ExtSIOp>(b.getI64Type(), vectors);
  auto load = [&](Side side, Value address) {
    const DotSide &own = sides[side];
    // Rows of weights end with a byte, and so rows of the small operand with
    // the two elements of a word.
    int64_t bytes = side == Few ? 4 : own.getStorageBytes();
    int64_t each = bytes * 8 / own.bits;
    Value start = b.add(address, b.mul(distance, own.getBytes(getVector())));
    auto loadPart = [&](int64_t at) {
      return loadWords(side, start, bytes, at, left, at / bytes * each + each)
          .front();
    };
    Values words;
    for (int64_t at = 0; at < own.getBytes(getVector()); at += 4) {
      if (bytes == 4) {
        words.push_back(loadPart(at));
        continue;
      }
      Value word = b.i32(0);
      for (int64_t byte = 0; byte < 4; byte += bytes)
        word = b.bitOr(word, b.mul(b.create<arith::ExtUIOp>(
                                       b.getI32Type(), loadPart(at + byte)),
                                   int64_t(1) << (8 * byte)));
      // Otherwise LLVM would hold all bytes in registers before it joins any.
      words.push_back(makeOpaque(b, word));
    }
    return words;
  };
  SmallVector<Values> few, many;
  for (Value address : sides[Few].addresses)
    few.push_back(load(Few, address));
  for (Value address : sides[Many].addresses)
    many.push_back(load(Many, address));
  Value position = scales ? b.sub(depth, last) : Value();
  Values result(sums);
  addProducts(few, many, widenScales(loadScales(position, leftOfGroup, 1)),
              widenZeroPoints(loadZeroPoints(position, leftOfGroup, 1)),
              result);
  return result;
}

/// A lane has two rows of each block and two of its columns. The sums lose the
/// scale that converted elements have.
void TensorDots::storeSums(Value memory, Value first, ArrayRef<Value> sums) {
  int64_t exponent = getProductExponent(sides[Few].type, sides[Many].type);
  Value scale = b.create<arith::ConstantOp>(
      b.getFloatAttr(sumType, std::ldexp(1.0, -static_cast<int>(exponent))));
  Value lane = c.laneId();
  Value row = b.divU(lane, kLanes);
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t second : {0, 1}) {
      Value few =
          b.add(b.mul(b.remU(lane, kLanes), 2), kRows * column + second);
      buildIf(b, b.lessU(few, b.i32(op.getRows())), [&] {
        Value place = b.add(first, b.add(b.mul(few, groupRows), row));
        for (int64_t block = 0; block < blocks; ++block)
          for (int64_t half : {0, 1})
            b.create<memref::StoreOp>(
                b.create<arith::MulFOp>(
                    sums[4 * (block * columns + column) + 2 * half + second],
                    scale),
                memory, createIndex(b, place, (2 * block + half) * kRows));
      });
    }
}

std::unique_ptr<DotEmitter> tcgemm::createTensorDots(LoweringContext &c,
                                                     AccDotOp op) {
  IntegerBuilder &b = c.b;
  Value row = b.divU(c.laneId(), kLanes);
  DotLanes lanes{kLanes, b.remU(c.laneId(), kLanes), {}, {}};
  int64_t rows = op.getRows();
  for (int64_t i = 0; i < rows; i += kRows)
    lanes.fewRows.push_back(b.minU(b.add(row, i), b.i32(rows - 1)));
  int64_t groups =
      c.analysis.getProgram().getThreads() / 32 / int64_t(op.getSlices());
  for (int64_t i = 0; i < int64_t(op.getColumns()) / groups; i += kRows)
    lanes.manyRows.push_back(b.add(row, i));
  return std::make_unique<TensorDots>(c, op, lanes);
}
