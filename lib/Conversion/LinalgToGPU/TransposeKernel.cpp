//===- TransposeKernel.cpp - Tiles through shared memory ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring threads access neighbouring elements of every operand. Elements
// of the output are accessed directly, those of a transposed operand through a
// tile in shared memory.
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

namespace {
/// Rows and columns of a tile.
constexpr int64_t kTile = 32;
constexpr int64_t kTileRows = kBlockThreads / kTile;

struct Transposition {
  /// The loops along the rows of the outputs and of the transposed inputs.
  unsigned outer, inner;
  SmallVector<OpOperand *> inputs;
};
} // namespace

/// The loop along which the elements of an operand are contiguous.
static std::optional<unsigned> getInnermostLoop(LinalgOp op,
                                                OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isa<MemRefType>(operand.get().getType()) ||
      !map.isProjectedPermutation() || map.getNumResults() == 0)
    return std::nullopt;
  return map.getDimPosition(map.getNumResults() - 1);
}

static std::optional<Transposition> matchTransposition(LinalgOp op) {
  if (op.getNumLoops() < 2 || op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  Transposition result;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    std::optional<unsigned> loop = getInnermostLoop(op, output);
    if (!loop || !op.getMatchingIndexingMap(&output).isPermutation() ||
        (&output != op.getDpsInitsMutable().begin() && *loop != result.inner))
      return std::nullopt;
    result.inner = *loop;
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<unsigned> loop = getInnermostLoop(op, *input);
    if (!loop || *loop == result.inner ||
        !op.getMatchingIndexingMap(input).isFunctionOfDim(result.inner) ||
        !op.payloadUsesValueFromOperand(input))
      continue;
    if (!result.inputs.empty() && *loop != result.outer)
      return std::nullopt;
    result.outer = *loop;
    result.inputs.push_back(input);
  }
  if (result.inputs.empty())
    return std::nullopt;
  // With small extents most of a tile would be unused.
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop : {result.outer, result.inner})
    if (ShapedType::isStatic(sizes[loop]) && sizes[loop] < kTile / 2)
      return std::nullopt;
  return result;
}

namespace {
class TransposeWriter {
public:
  TransposeWriter(LinalgOp op, const Transposition &transposition)
      : builder(op.getLoc(), op), op(op), transposition(transposition) {}
  void write();

private:
  void writeTile();
  /// Writes `body` for each thread and its elements of the tile. `column` is
  /// the loop of neighbouring threads, `row` the other loop. The body receives
  /// the coordinates in the tile.
  void forElements(unsigned row, unsigned column,
                   function_ref<void(Value row, Value column)> body);

  ImplicitLocOpBuilder builder;
  LinalgOp op;
  const Transposition &transposition;
  SmallVector<Value> extents, ivs;
  /// The first coordinate of the tile, by loop.
  SmallVector<Value> starts;
  SmallVector<Value> tiles;
  Value threadRow, threadColumn;
};
} // namespace

void TransposeWriter::forElements(unsigned row, unsigned column,
                                  function_ref<void(Value, Value)> body) {
  for (int64_t i = 0; i < kTile / kTileRows; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    Value tileRow = arith::AddIOp::create(builder, threadRow,
                                          getIndex(builder, i * kTileRows));
    ivs[row] = arith::AddIOp::create(builder, starts[row], tileRow);
    ivs[column] = arith::AddIOp::create(builder, starts[column], threadColumn);
    auto isInside = [&](unsigned loop) {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                   ivs[loop], extents[loop]);
    };
    auto conditional =
        scf::IfOp::create(builder, arith::AndIOp::create(builder, isInside(row),
                                                         isInside(column)));
    builder.setInsertionPointToStart(conditional.thenBlock());
    body(tileRow, threadColumn);
  }
}

void TransposeWriter::writeTile() {
  unsigned outer = transposition.outer, inner = transposition.inner;
  ArrayRef<OpOperand *> inputs = transposition.inputs;
  forElements(inner, outer, [&](Value row, Value column) {
    for (auto [input, tile] : llvm::zip(inputs, tiles))
      memref::StoreOp::create(builder, loadOperand(builder, op, *input, ivs),
                              tile, ValueRange{row, column});
  });
  gpu::BarrierOp::create(builder);
  forElements(outer, inner, [&](Value row, Value column) {
    SmallVector<Value> elements;
    for (OpOperand &operand : op->getOpOperands()) {
      auto *it = llvm::find(inputs, &operand);
      if (it != inputs.end())
        elements.push_back(memref::LoadOp::create(
            builder, tiles[it - inputs.begin()], ValueRange{column, row}));
      else
        elements.push_back(op.payloadUsesValueFromOperand(&operand)
                               ? loadOperand(builder, op, operand, ivs)
                               : Value());
    }
    storeResults(builder, op, ivs, cloneBody(builder, op, ivs, elements));
  });
  // The next tile overwrites this one.
  gpu::BarrierOp::create(builder);
}

void TransposeWriter::write() {
  extents = getExtents(builder, op);
  Value tile = getIndex(builder, kTile);
  SmallVector<Value> counts(extents);
  for (unsigned loop : {transposition.outer, transposition.inner})
    counts[loop] =
        builder.createOrFold<arith::CeilDivUIOp>(extents[loop], tile);
  Value work = multiply(builder, counts);
  Kernel kernel = createKernel(builder, work);
  for (OpOperand *input : transposition.inputs)
    // An additional column avoids bank conflicts in accesses along columns.
    tiles.push_back(addSharedMemory(
        kernel, {kTile, kTile + 1},
        cast<MemRefType>(input->get().getType()).getElementType()));
  threadRow = arith::DivUIOp::create(builder, kernel.thread, tile);
  threadColumn = arith::RemUIOp::create(builder, kernel.thread, tile);
  auto forOp =
      scf::ForOp::create(builder, kernel.block, work, kernel.numBlocks);
  builder.setInsertionPointToStart(forOp.getBody());
  starts = delinearize(builder, forOp.getInductionVar(), counts);
  ivs = starts;
  for (unsigned loop : {transposition.outer, transposition.inner})
    starts[loop] = arith::MulIOp::create(builder, starts[loop], tile);
  writeTile();
  op.erase();
}

bool linalg_to_gpu::writeTransposeKernel(LinalgOp op) {
  std::optional<Transposition> transposition = matchTransposition(op);
  if (!transposition)
    return false;
  TransposeWriter(op, *transposition).write();
  return true;
}
