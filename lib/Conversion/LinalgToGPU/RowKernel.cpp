//===- RowKernel.cpp - A warp or a block for each row ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "RowGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

namespace {
/// The unroll factor of a row's loop, so that a thread has several loads in
/// flight.
constexpr int64_t kUnroll = 4;
/// A warp computes rows of up to this number of elements; a block larger ones.
constexpr int64_t kMaxWarpColumns = 1024;
/// Threads of the only block for a group without rows (the reduction of a whole
/// array).
constexpr int64_t kSingleBlockThreads = 1024;

/// Writes the kernel of a group.
class RowWriter {
public:
  explicit RowWriter(ArrayRef<RowOp> ops);
  void write();

private:
  void chooseThreads();
  void writeRow();
  void writeColumns(const RowOp &rowOp);
  void writeReduction(const RowOp &rowOp);
  void writeOnce(const RowOp &rowOp);
  SmallVector<Value> getColumnExtents(const RowOp &rowOp);
  SmallVector<Value> getIterators(const RowOp &rowOp, Value column);
  SmallVector<Value> forColumns(
      const RowOp &rowOp, ValueRange sums,
      function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body);
  Value combine(Operation *combiner, Value a, Value b);
  Value reduceWarp(Operation *combiner, Value value);
  Value reduceBlock(Operation *combiner, Value value);
  Value shuffle(Value value, int64_t offset);
  void synchronize();
  Value isFirstLane();

  ImplicitLocOpBuilder builder;
  ArrayRef<RowOp> ops;
  Kernel kernel;
  int64_t blockThreads = kBlockThreads;
  /// Number of threads that compute a row: a warp or the block.
  int64_t rowThreads = kBlockThreads;
  /// The thread's index among these threads.
  Value lane;
  /// The coordinates of the row.
  SmallVector<Value> row;
  /// The extents of the loops of each operation.
  SmallVector<SmallVector<Value>> extents;
};
} // namespace

RowWriter::RowWriter(ArrayRef<RowOp> ops)
    : builder(LinalgOp(ops.back().op).getLoc(), ops.back().op), ops(ops) {}

/// The static number of iterations in a row, or `limit` if it is larger or
/// dynamic.
static int64_t countColumns(const RowOp &rowOp, int64_t limit) {
  LinalgOp op = rowOp.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t count = 1;
  for (unsigned loop : rowOp.columns) {
    if (ShapedType::isDynamic(sizes[loop]) || sizes[loop] > limit)
      return limit;
    count = std::min(limit, count * sizes[loop]);
  }
  return count;
}

void RowWriter::chooseThreads() {
  if (ops.front().rows.empty()) {
    blockThreads = rowThreads = kSingleBlockThreads;
    return;
  }
  bool isShort = llvm::all_of(ops, [](const RowOp &rowOp) {
    return countColumns(rowOp, kMaxWarpColumns + 1) <= kMaxWarpColumns;
  });
  if (isShort)
    rowThreads = kWarpThreads;
}

void RowWriter::write() {
  chooseThreads();
  for (const RowOp &rowOp : ops)
    extents.push_back(getExtents(builder, rowOp.op));
  SmallVector<Value> rowExtents;
  for (unsigned loop : ops.front().rows)
    rowExtents.push_back(extents.front()[loop]);
  Value rows = multiply(builder, rowExtents);
  Value rowsOfBlock = getIndex(builder, blockThreads / rowThreads);
  Value work = builder.createOrFold<arith::CeilDivUIOp>(rows, rowsOfBlock);
  kernel = createKernel(builder, work, blockThreads);
  Value threads = getIndex(builder, rowThreads);
  lane = builder.createOrFold<arith::RemUIOp>(kernel.thread, threads);
  Value first = arith::AddIOp::create(
      builder, arith::MulIOp::create(builder, kernel.block, rowsOfBlock),
      arith::DivUIOp::create(builder, kernel.thread, threads));
  Value step = arith::MulIOp::create(builder, kernel.numBlocks, rowsOfBlock);
  auto forOp = scf::ForOp::create(builder, first, rows, step);
  builder.setInsertionPointToStart(forOp.getBody());
  row = delinearize(builder, forOp.getInductionVar(), rowExtents);
  writeRow();
  for (const RowOp &rowOp : ops)
    LinalgOp(rowOp.op)->erase();
}

/// Makes the writes of the threads of a row visible to each other.
void RowWriter::synchronize() {
  if (rowThreads == kWarpThreads) {
    Value all =
        arith::ConstantOp::create(builder, builder.getI32IntegerAttr(-1));
    NVVM::SyncWarpOp::create(builder, all);
  } else {
    gpu::BarrierOp::create(builder);
  }
}

Value RowWriter::isFirstLane() {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, lane,
                               getIndex(builder, 0));
}

void RowWriter::writeRow() {
  for (const RowOp &rowOp : ops) {
    if (rowOp.isReduction())
      writeReduction(rowOp);
    else if (rowOp.columns.empty())
      writeOnce(rowOp);
    else
      writeColumns(rowOp);
    synchronize();
  }
}

SmallVector<Value> RowWriter::getColumnExtents(const RowOp &rowOp) {
  ArrayRef<Value> all = extents[&rowOp - ops.begin()];
  return llvm::map_to_vector(rowOp.columns,
                             [&](unsigned loop) { return all[loop]; });
}

/// The values of all loops at iteration `column` of the row.
SmallVector<Value> RowWriter::getIterators(const RowOp &rowOp, Value column) {
  LinalgOp op = rowOp.op;
  SmallVector<Value> ivs(op.getNumLoops());
  SmallVector<Value> coordinates =
      delinearize(builder, column, getColumnExtents(rowOp));
  for (auto [loop, coordinate] : llvm::zip(rowOp.rows, row))
    ivs[loop] = coordinate;
  for (auto [loop, coordinate] : llvm::zip(rowOp.columns, coordinates))
    ivs[loop] = coordinate;
  return ivs;
}

/// Distributes the iterations of a row among its threads. Each call of the body
/// receives the columns of some iterations; it returns the next sums.
SmallVector<Value> RowWriter::forColumns(
    const RowOp &rowOp, ValueRange sums,
    function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  Value count = multiply(builder, getColumnExtents(rowOp));
  auto writeLoop = [&](Value from, Value to, int64_t unroll, ValueRange sums) {
    auto forOp = scf::ForOp::create(
        builder, from, to, getIndex(builder, rowThreads * unroll), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    SmallVector<Value> columns;
    for (int64_t i = 0; i < unroll; ++i)
      columns.push_back(builder.createOrFold<arith::AddIOp>(
          forOp.getInductionVar(), getIndex(builder, i * rowThreads)));
    SmallVector<Value> results = body(columns, forOp.getRegionIterArgs());
    if (!results.empty())
      scf::YieldOp::create(builder, results);
    return SmallVector<Value>(forOp.getResults());
  };
  // Complete rounds of all threads first, then the others one iteration at a
  // time.
  Value round = getIndex(builder, rowThreads * kUnroll);
  Value whole = arith::MulIOp::create(
      builder, builder.createOrFold<arith::DivUIOp>(count, round), round);
  SmallVector<Value> results = writeLoop(lane, whole, kUnroll, sums);
  Value rest = arith::AddIOp::create(builder, whole, lane);
  return writeLoop(rest, count, 1, results);
}

/// Writes an operation on one element for each row.
void RowWriter::writeOnce(const RowOp &rowOp) {
  SmallVector<Value> ivs = getIterators(rowOp, getIndex(builder, 0));
  auto conditional = scf::IfOp::create(builder, isFirstLane());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.thenBlock());
  SmallVector<Value> elements = loadOperands(builder, rowOp.op, ivs);
  storeResults(builder, rowOp.op, ivs,
               cloneBody(builder, rowOp.op, ivs, elements));
}

void RowWriter::writeColumns(const RowOp &rowOp) {
  forColumns(rowOp, {}, [&](ArrayRef<Value> columns, ValueRange) {
    // All loads precede the stores, because the compiler cannot reorder them.
    SmallVector<SmallVector<Value>> ivs, elements;
    for (Value column : columns) {
      ivs.push_back(getIterators(rowOp, column));
      elements.push_back(loadOperands(builder, rowOp.op, ivs.back()));
    }
    for (size_t i = 0; i < columns.size(); ++i)
      storeResults(builder, rowOp.op, ivs[i],
                   cloneBody(builder, rowOp.op, ivs[i], elements[i]));
    return SmallVector<Value>();
  });
}

void RowWriter::writeReduction(const RowOp &rowOp) {
  LinalgOp op = rowOp.op;
  // The outputs' elements do not depend on the columns.
  SmallVector<Value> ivs = getIterators(rowOp, getIndex(builder, 0));
  SmallVector<Value> initial, sums;
  for (auto [output, combiner] :
       llvm::zip(op.getDpsInitsMutable(), rowOp.combiners)) {
    initial.push_back(loadOperand(builder, op, output, ivs));
    sums.push_back(arith::ConstantOp::create(
        builder, *arith::getNeutralElement(combiner)));
  }
  sums =
      forColumns(rowOp, sums, [&](ArrayRef<Value> columns, ValueRange partial) {
        SmallVector<SmallVector<Value>> ivs, elements;
        for (Value column : columns) {
          ivs.push_back(getIterators(rowOp, column));
          elements.push_back(loadOperands(builder, op, ivs.back()));
        }
        SmallVector<Value> results(partial);
        for (size_t i = 0; i < columns.size(); ++i) {
          llvm::copy(results, elements[i].begin() + op.getNumDpsInputs());
          results = cloneBody(builder, op, ivs[i], elements[i]);
        }
        return results;
      });
  for (size_t i = 0; i < sums.size(); ++i) {
    Operation *combiner = rowOp.combiners[i];
    sums[i] = reduceWarp(combiner, sums[i]);
    if (rowThreads != kWarpThreads)
      sums[i] = reduceBlock(combiner, sums[i]);
    sums[i] = combine(combiner, initial[i], sums[i]);
  }
  // Every thread must have read the initial values before the first thread
  // writes.
  synchronize();
  auto conditional = scf::IfOp::create(builder, isFirstLane());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(conditional.thenBlock());
  storeResults(builder, op, ivs, sums);
}

Value RowWriter::combine(Operation *combiner, Value a, Value b) {
  Operation *clone = builder.clone(*combiner);
  clone->setOperands({a, b});
  return clone->getResult(0);
}

/// The value of the lane whose index differs in the bit `offset`.
Value RowWriter::shuffle(Value value, int64_t offset) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits), word = builder.getI32Type();
  if (integer != type)
    value = arith::BitcastOp::create(builder, integer, value);
  auto exchange = [&](Value part) -> Value {
    return gpu::ShuffleOp::create(builder, part, static_cast<int32_t>(offset),
                                  kWarpThreads, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (bits < 32)
    value = arith::TruncIOp::create(
        builder, integer,
        exchange(arith::ExtUIOp::create(builder, word, value)));
  else if (bits == 32)
    value = exchange(value);
  else {
    Type wide = builder.getI64Type();
    if (bits < 64)
      value = arith::ExtUIOp::create(builder, wide, value);
    Value shift =
        arith::ConstantOp::create(builder, builder.getI64IntegerAttr(32));
    Value low = exchange(arith::TruncIOp::create(builder, word, value));
    Value high = exchange(arith::TruncIOp::create(
        builder, word, arith::ShRUIOp::create(builder, value, shift)));
    value = arith::OrIOp::create(
        builder, arith::ExtUIOp::create(builder, wide, low),
        arith::ShLIOp::create(
            builder, arith::ExtUIOp::create(builder, wide, high), shift));
    if (bits < 64)
      value = arith::TruncIOp::create(builder, integer, value);
  }
  return integer == type ? value
                         : arith::BitcastOp::create(builder, type, value);
}

Value RowWriter::reduceWarp(Operation *combiner, Value value) {
  for (int64_t offset = kWarpThreads / 2; offset > 0; offset /= 2)
    value = combine(combiner, value, shuffle(value, offset));
  return value;
}

/// Combines the values of all warps for every thread, in the same order.
Value RowWriter::reduceBlock(Operation *combiner, Value value) {
  int64_t warps = blockThreads / kWarpThreads;
  Value shared = addSharedMemory(kernel, {warps}, value.getType());
  Value size = getIndex(builder, kWarpThreads);
  Value warp = arith::DivUIOp::create(builder, kernel.thread, size);
  Value isFirst = arith::CmpIOp::create(
      builder, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(builder, kernel.thread, size),
      getIndex(builder, 0));
  auto conditional = scf::IfOp::create(builder, isFirst);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(conditional.thenBlock());
    memref::StoreOp::create(builder, value, shared, warp);
  }
  gpu::BarrierOp::create(builder);
  auto load = [&](int64_t i) -> Value {
    return memref::LoadOp::create(builder, shared, getIndex(builder, i));
  };
  Value result = load(0);
  for (int64_t i = 1; i < warps; ++i)
    result = combine(combiner, result, load(i));
  return result;
}

/// Groups each reduction with the operations that can be in the same kernel.
/// Other operations get separate kernels.
void linalg_to_gpu::writeKernels(ArrayRef<LinalgOp> ops) {
  size_t next = 0;
  while (next < ops.size()) {
    std::optional<RowGroup> group;
    size_t seed = next;
    for (; seed < ops.size() && !group; ++seed)
      if (std::optional<RowOp> reduction = matchRowReduction(ops[seed]))
        group.emplace(std::move(*reduction));
    size_t first = group ? seed - 1 : seed, last = seed;
    // Without rows there is only one block, which should execute the reduction
    // only.
    if (group && !group->getOps().front().rows.empty()) {
      while (first > next && group->addFront(ops[first - 1]))
        --first;
      while (last < ops.size() && group->addBack(ops[last]))
        ++last;
    }
    for (LinalgOp op : ops.slice(next, first - next))
      if (!writeTransposeKernel(op))
        writeVectorKernel(op);
    if (group)
      RowWriter(group->getOps()).write();
    next = last;
  }
}
