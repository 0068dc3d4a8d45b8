//===- Program.cpp - The program that multiplies by coefficients ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is read once and each result written once. If the result's
// neighbours are those of the data, a warp has neighbouring places. Otherwise a
// thread has a square of places, whose rows it loads and whose columns it
// stores. The eight lanes along a column and the four along a row access whole
// lines together, so that nothing passes through shared memory.
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Expand/Family.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Config/Expand.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// Coordinates are i32, strides and offsets i64 elements.
class ExpandBuilder {
public:
  ExpandBuilder(ProgramBuilder &p, bool isWide)
      : p(p), b(p.b()), kernel(p.getKernel()), access(kernel), isWide(isWide),
        width(isWide ? access.width : 1),
        rows(access.isTransposed() ? width : 1),
        sum(kernel.getAccumulatorType()) {}

  void build();

private:
  /// `rows` by `width` places of a thread: the first ones along `stored` and
  /// `loaded`.
  struct Places {
    llvm::SmallDenseMap<char, Value> first;
    Value isInside; ///< i1: whether the first place exists.
    /// By row, place and k, in the type of the sums.
    SmallVector<Value> elements;
  };

  Type getElement(unsigned operand) {
    return kernel.getOperandInfo(operand).getElementType();
  }
  /// The stride in memory along one of the operand's dims.
  Value getStride(unsigned operand, char dim);
  /// The offset of a place, and of the coordinates `others`.
  Value getOffset(unsigned operand, const Places &places, char moved,
                  Value distance);
  void loadCoefficients();
  Places locateRound(int64_t round);
  Places locateSquare();
  /// Splits `linear` into coordinates along all places' dims, of which there
  /// are `counts`.
  void split(Value linear, ArrayRef<std::pair<char, Value>> counts,
             Places &places);
  void load(Places &places);
  void loadRun(Value offset, SmallVectorImpl<Value> &elements);
  void store(const Places &places);
  void storeRow(const Places &places, int64_t place);
  void storeRun(ArrayRef<Value> results, Value offset, Value step);
  Value compute(const Places &places, int64_t row, int64_t place,
                int64_t output);
  Value convert(Value value, Type type);
  Value isBelow(Value coordinate, char dim) {
    return p.lessU(coordinate, p.size(dim));
  }
  void buildIf(Value condition, llvm::function_ref<void()> body);

  ProgramBuilder &p;
  ImplicitLocOpBuilder &b;
  KernelOp kernel;
  ExpandAccess access;
  bool isWide;
  int64_t width, rows;
  Type sum;
  /// By output, then k.
  SmallVector<Value> coefficients;
};

} // namespace

Value ExpandBuilder::getStride(unsigned operand, char dim) {
  size_t position = kernel.getOperandInfo(operand).getDims().find(dim);
  return p.expression(getStrideSymbol(kernel.getOperandName(operand), position),
                      b.getI64Type());
}

Value ExpandBuilder::convert(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
             ? Value(b.create<arith::ExtFOp>(type, value))
             : Value(b.create<arith::TruncFOp>(type, value));
}

void ExpandBuilder::buildIf(Value condition, llvm::function_ref<void()> body) {
  auto guard = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(guard.thenBlock());
  body();
}

/// Each index along `dims`, of static sizes, with its offset in the operand.
static SmallVector<Value>
listOffsets(ProgramBuilder &p, StringRef dims,
            llvm::function_ref<Value(char)> getStride) {
  SmallVector<Value> offsets{p.i64(0)};
  for (char dim : dims) {
    SmallVector<Value> longer;
    for (Value offset : offsets)
      for (int64_t i = 0; i < p.getKernel().getSize(dim); ++i)
        longer.push_back(i ? p.add(offset, p.mul(getStride(dim), p.i64(i)))
                           : offset);
    offsets = std::move(longer);
  }
  return offsets;
}

void ExpandBuilder::loadCoefficients() {
  unsigned operand = access.coefficients;
  Value source = p.pointer(operand);
  for (Value offset : listOffsets(p, access.outputs + "k", [&](char dim) {
         return getStride(operand, dim);
       }))
    coefficients.push_back(
        convert(b.create<memref::LoadOp>(source, p.index(offset)), sum));
}

void ExpandBuilder::split(Value linear, ArrayRef<std::pair<char, Value>> counts,
                          Places &places) {
  for (auto [dim, count] : llvm::reverse(counts.drop_front())) {
    Value quotient = p.divU(linear, count);
    places.first[dim] = p.sub(linear, p.mul(quotient, count));
    linear = quotient;
  }
  places.first[counts.front().first] = linear;
}

/// The places of a thread in one of its rounds: neighbours of those of the next
/// thread.
ExpandBuilder::Places ExpandBuilder::locateRound(int64_t round) {
  SmallVector<std::pair<char, Value>> counts;
  Value total;
  for (char dim : access.places) {
    Value count = p.size(dim);
    if (dim == access.loaded && width > 1)
      count = p.divU(count, width);
    counts.emplace_back(dim, count);
    total = total ? p.mul(total, count) : count;
  }
  int64_t threads = p.getThreads();
  Value linear = p.add(p.mul(p.blockId(), threads * ExpandAccess::kRounds),
                       p.add(p.threadId(), round * threads));
  Places places;
  places.isInside = p.lessU(linear, total);
  split(p.minU(linear, p.sub(total, p.i32(1))), counts, places);
  Value &first = places.first[access.loaded];
  if (width > 1)
    first = p.mul(first, width);
  return places;
}

/// The square of places of a thread.
ExpandBuilder::Places ExpandBuilder::locateSquare() {
  SmallVector<std::pair<char, Value>> counts;
  for (char dim : access.places) {
    bool isTiled = dim == access.loaded || dim == access.stored;
    counts.emplace_back(
        dim, isTiled ? p.ceilDiv(p.size(dim),
                                 access.getTile(dim == access.stored, width))
                     : p.size(dim));
  }
  Places places;
  split(p.blockId(), counts, places);
  constexpr int64_t lanes = ExpandAccess::kLanesAlongStores,
                    warps = ExpandAccess::kWarpsAlongStores, warpLanes = 32;
  Value thread = p.threadId();
  Value lane = p.remU(thread, warpLanes), warp = p.divU(thread, warpLanes);
  // Within the block's tile.
  std::pair<char, Value> inner[] = {
      {access.stored,
       p.add(p.mul(p.remU(warp, warps), lanes), p.remU(lane, lanes))},
      {access.loaded, p.add(p.mul(p.divU(warp, warps), warpLanes / lanes),
                            p.divU(lane, lanes))}};
  for (auto [dim, place] : inner) {
    Value &first = places.first[dim];
    Value tile = p.mul(first, access.getTile(dim == access.stored, width));
    first = p.add(tile, p.mul(place, width));
    Value isInside = isBelow(first, dim);
    places.isInside =
        places.isInside ? p.bitAnd(places.isInside, isInside) : isInside;
  }
  return places;
}

Value ExpandBuilder::getOffset(unsigned operand, const Places &places,
                               char moved, Value distance) {
  Value offset = p.i64(0);
  for (char dim : access.places) {
    Value coordinate = places.first.lookup(dim);
    if (dim == moved)
      coordinate = p.add(coordinate, distance);
    offset = p.add(offset, p.mul(p.ext(coordinate), getStride(operand, dim)));
  }
  return offset;
}

/// Loads a run of contiguous elements; one element in the narrow program.
void ExpandBuilder::loadRun(Value offset, SmallVectorImpl<Value> &elements) {
  Value source = p.pointer(access.data);
  int64_t run = isWide ? access.getLoadRun(width) : 1;
  int64_t vector = isWide ? access.getVector(run, access.dataBytes) : 1;
  auto type = VectorType::get({vector}, getElement(access.data));
  for (int64_t i = 0; i < run; i += vector) {
    Value place = p.index(p.add(offset, p.i64(i)));
    if (vector == 1) {
      elements.push_back(convert(b.create<memref::LoadOp>(source, place), sum));
      continue;
    }
    Value loaded = b.create<vector::LoadOp>(type, source, place);
    for (int64_t e = 0; e < vector; ++e)
      elements.push_back(convert(b.create<vector::ExtractOp>(loaded, e), sum));
  }
}

void ExpandBuilder::load(Places &places) {
  Value stride = getStride(access.data, 'k');
  for (int64_t row = 0; row < rows; ++row) {
    Value start =
        access.isTransposed()
            ? getOffset(access.data, places, access.stored, p.i32(row))
            : getOffset(access.data, places, 0, Value());
    if (access.loadsDepth && isWide) {
      loadRun(start, places.elements);
      continue;
    }
    SmallVector<SmallVector<Value>> ofDepth(access.depth);
    for (auto [k, elements] : llvm::enumerate(ofDepth))
      loadRun(p.add(start, p.mul(stride, p.i64(int64_t(k)))), elements);
    for (int64_t place = 0; place < width; ++place)
      for (const auto &elements : ofDepth)
        places.elements.push_back(elements[place]);
  }
}

/// The result of one place for one of the outputs.
Value ExpandBuilder::compute(const Places &places, int64_t row, int64_t place,
                             int64_t output) {
  int64_t depth = access.depth;
  auto elements =
      ArrayRef(places.elements).slice((row * width + place) * depth, depth);
  auto factors = ArrayRef(coefficients).slice(output * depth, depth);
  // The sum starts with zero, as that of other schedules: -0 alone gives 0.
  Value result = p.zero(sum);
  for (int64_t k = 0; k < depth; ++k)
    result = b.create<math::FmaOp>(elements[k], factors[k], result);
  return convert(result, getElement(kExpandResult));
}

/// Stores results that are `step` apart, or contiguous in the wide program.
void ExpandBuilder::storeRun(ArrayRef<Value> results, Value offset,
                             Value step) {
  Value target = p.pointer(kExpandResult);
  int64_t run = results.size();
  int64_t vector = isWide ? access.getVector(run, access.resultBytes) : 1;
  auto type = VectorType::get({vector}, getElement(kExpandResult));
  for (int64_t i = 0; i < run; i += vector) {
    Value place =
        isWide ? p.add(offset, p.i64(i)) : p.add(offset, p.mul(step, p.i64(i)));
    if (vector == 1)
      b.create<memref::StoreOp>(results[i], target, p.index(place));
    else
      b.create<vector::StoreOp>(
          b.create<vector::FromElementsOp>(type, results.slice(i, vector)),
          target, p.index(place));
  }
}

/// Stores the results of a run of places along `stored`. In a square these are
/// its rows' places number `place`.
void ExpandBuilder::storeRow(const Places &places, int64_t place) {
  bool isSquare = access.isTransposed();
  Value start =
      isSquare ? getOffset(kExpandResult, places, access.loaded, p.i32(place))
               : getOffset(kExpandResult, places, 0, Value());
  // The last output is innermost in `outputs`, or the run has no outputs.
  SmallVector<Value> offsets = listOffsets(p, access.outputs, [&](char dim) {
    return getStride(kExpandResult, dim);
  });
  int64_t together = access.lastOutput ? access.lastSize : 1;
  Value step = getStride(kExpandResult,
                         access.lastOutput ? access.lastOutput : access.stored);
  for (int64_t first = 0; first < int64_t(offsets.size()); first += together) {
    SmallVector<Value> results;
    for (int64_t i = 0; i < width; ++i)
      for (int64_t output = first; output < first + together; ++output)
        results.push_back(
            compute(places, isSquare ? i : 0, isSquare ? place : i, output));
    storeRun(results, p.add(start, offsets[first]), step);
  }
}

void ExpandBuilder::store(const Places &places) {
  buildIf(places.isInside, [&] {
    if (!access.isTransposed())
      return storeRow(places, 0);
    for (int64_t place = 0; place < width; ++place)
      storeRow(places, place);
  });
}

void ExpandBuilder::build() {
  loadCoefficients();
  if (access.isTransposed()) {
    Places places = locateSquare();
    buildIf(places.isInside, [&] {
      load(places);
      store(places);
    });
    return;
  }
  // All loads precede the first store, so that many bytes are in flight.
  SmallVector<Places> rounds;
  for (int64_t i = 0; i < ExpandAccess::kRounds; ++i) {
    rounds.push_back(locateRound(i));
    load(rounds.back());
  }
  for (const Places &places : rounds)
    store(places);
}

ProgramOp tcgemm::buildExpandProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                     const KernelConfig &config, StringRef name,
                                     bool isWide) {
  ProgramBuilder p(kernel, module, name, ExpandShape::kThreads);
  ExpandBuilder(p, isWide).build();
  return p.finish(config);
}
