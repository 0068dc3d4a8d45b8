//===- ElementKernel.cpp - One thread for each element of the result ------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

namespace {
/// The loops of an operation: those whose iterations are divided among threads,
/// and those that each thread executes.
struct Loops {
  SmallVector<unsigned> shared, own;
};
} // namespace

/// Iterations that write different elements are independent of each other. All
/// others are executed in the order of the loops.
static Loops splitLoops(LinalgOp op) {
  Loops loops;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool isShared =
        iterators[loop] == utils::IteratorType::parallel &&
        llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
          AffineMap map = op.getMatchingIndexingMap(&out);
          return map.isProjectedPermutation() && map.isFunctionOfDim(loop);
        });
    (isShared ? loops.shared : loops.own).push_back(loop);
  }
  return loops;
}

namespace {
/// Writes the code of one thread for its element.
class ElementWriter {
public:
  ElementWriter(ImplicitLocOpBuilder &builder, LinalgOp op, ArrayRef<Value> ivs,
                ArrayRef<Value> extents, ArrayRef<unsigned> own)
      : builder(builder), op(op), ivs(ivs), extents(extents), own(own) {}
  void write();

private:
  bool accessesOutputsInOwnLoops();
  void resetOwnLoops();
  SmallVector<Value> loadOutputs();
  SmallVector<Value> writeIteration(ValueRange sums);
  SmallVector<Value> writeLoop(size_t depth, ValueRange sums);

  ImplicitLocOpBuilder &builder;
  LinalgOp op;
  SmallVector<Value> ivs;
  ArrayRef<Value> extents;
  ArrayRef<unsigned> own;
};
} // namespace

/// Returns whether an output has more than one element for the thread, so that
/// it cannot be kept in a register during the loops.
bool ElementWriter::accessesOutputsInOwnLoops() {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    return llvm::any_of(
        own, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

/// Resets the loops for accesses outside of them, which do not depend on them.
void ElementWriter::resetOwnLoops() {
  for (unsigned loop : own)
    ivs[loop] = getIndex(builder, 0);
}

SmallVector<Value> ElementWriter::loadOutputs() {
  SmallVector<Value> sums;
  for (OpOperand &output : op.getDpsInitsMutable())
    sums.push_back(loadOperand(builder, op, output, ivs));
  return sums;
}

SmallVector<Value> ElementWriter::writeIteration(ValueRange sums) {
  SmallVector<Value> elements = loadOperands(builder, op, ivs);
  if (sums.empty()) {
    storeResults(builder, op, ivs, cloneBody(builder, op, ivs, elements));
    return {};
  }
  llvm::copy(sums, elements.begin() + op.getNumDpsInputs());
  return cloneBody(builder, op, ivs, elements);
}

/// Writes the loops from `depth` on and returns the outputs' elements after
/// them; `sums` are their values before the loops. Without `sums`, every
/// iteration accesses memory.
SmallVector<Value> ElementWriter::writeLoop(size_t depth, ValueRange sums) {
  if (depth == own.size())
    return writeIteration(sums);
  unsigned loop = own[depth];
  auto forOp = scf::ForOp::create(builder, getIndex(builder, 0), extents[loop],
                                  getIndex(builder, 1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  ivs[loop] = forOp.getInductionVar();
  SmallVector<Value> results = writeLoop(depth + 1, forOp.getRegionIterArgs());
  if (!results.empty())
    scf::YieldOp::create(builder, results);
  return SmallVector<Value>(forOp.getResults());
}

void ElementWriter::write() {
  if (own.empty() || accessesOutputsInOwnLoops()) {
    writeLoop(0, {});
    return;
  }
  resetOwnLoops();
  SmallVector<Value> results = writeLoop(0, loadOutputs());
  resetOwnLoops();
  storeResults(builder, op, ivs, results);
}

void linalg_to_gpu::writeElementKernel(LinalgOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> extents = getExtents(builder, op);
  Loops loops = splitLoops(op);
  SmallVector<Value> shared;
  for (unsigned loop : loops.shared)
    shared.push_back(extents[loop]);
  Value total = multiply(builder, shared);
  Value threads = getIndex(builder, kBlockThreads);
  Value work = builder.createOrFold<arith::CeilDivUIOp>(total, threads);
  Kernel kernel = createKernel(builder, work);
  Value first = arith::AddIOp::create(
      builder, arith::MulIOp::create(builder, kernel.block, threads),
      kernel.thread);
  Value step = arith::MulIOp::create(builder, kernel.numBlocks, threads);
  auto forOp = scf::ForOp::create(builder, first, total, step);
  builder.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> ivs(op.getNumLoops());
  SmallVector<Value> coordinates =
      delinearize(builder, forOp.getInductionVar(), shared);
  for (auto [loop, coordinate] : llvm::zip(loops.shared, coordinates))
    ivs[loop] = coordinate;
  ElementWriter(builder, op, ivs, extents, loops.own).write();
  op.erase();
}
