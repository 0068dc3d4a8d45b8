//===- EpilogueLowering.cpp - Epilogues and what they read early ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueLowering.h"
#include "BoxStores.h"
#include "ControlFlow.h"
#include "Families.h"
#include "InlineAssembly.h"
#include "Roles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tcgemm/Dialect/EpilogueTypes.h"

using namespace mlir;
using namespace tcgemm;

void tcgemm::loadEarlyInputs(LoweringContext &c, EpilogueOp op) {
  auto layout = createAccumulator(c, op.getAcc().getType().getLayout());
  AccView all = layout->view(op, /*withValues=*/false);
  SliceGrid grid =
      op.storesBoxes() ? BoxStores(c, op).cut() : layout->cut(op, all);
  EpilogueSlices(c, op).loadEarly(all, grid);
}

namespace {
class EpilogueLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(EpilogueOp op);
  void lower(PrefetchOp op);

private:
  void prefetchLine(PrefetchOp op, Value base, Value m, Value n);
};
} // namespace

void EpilogueLowering::lower(EpilogueOp op) {
  if (op.storesBoxes())
    return BoxStores(c, op).store();
  createAccumulator(c, op.getAcc().getType().getLayout())->store(op);
}

void EpilogueLowering::prefetchLine(PrefetchOp op, Value base, Value m,
                                    Value n) {
  int64_t bytes = getEpilogueBytes(
      cast<MemRefType>(op.getInput().getType()).getElementType());
  auto getCoordinate = [&](char dim) {
    return dim == 'm' ? m
           : dim == 'n'
               ? n
               : getOuterCoordinate(c, dim, op.getBatch(), op.getOuter());
  };
  Value offset = b.mul(
      createElementAddress(c, op.getDims(), op.getStrides(), getCoordinate),
      bytes);
  // LLVM's instruction needs sm_90, but PTX has it on every chip.
  createAssembly(b, "prefetch.global.L2 [$0];", "l", TypeRange(),
                 b.add(base, offset));
}

/// A line of the cache each. Where a row does not start with a line, its last
/// elements may stay behind.
void EpilogueLowering::lower(PrefetchOp op) {
  constexpr int64_t lineBytes = 128;
  // The warpgroups of a role have a block each, a program without roles has
  // one.
  bool hasRole = bool(op->getParentOfType<RoleOp>());
  int64_t threads = hasRole ? 128 : analysis.getProgram().getThreads();
  int64_t bytes = getEpilogueBytes(
      cast<MemRefType>(op.getInput().getType()).getElementType());
  bool alongN = op.getDims().back() == 'n';
  int64_t inner = alongN ? op.getColumns() : op.getRows();
  int64_t outer = alongN ? op.getRows() : op.getColumns();
  if (!op.getDims().contains(alongN ? 'm' : 'n'))
    outer = 1;
  int64_t perLine = lineBytes / bytes;
  int64_t lines = llvm::divideCeil(inner, perLine);
  Value isUsed;
  if (op.getGuard())
    isUsed = isNonZero(b, one(op.getGuard()));
  Value base = b.create<arith::IndexCastUIOp>(
      b.getI64Type(),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(one(op.getInput())));
  for (int64_t first = 0; first < outer * lines; first += threads) {
    Value thread =
        hasRole ? b.remU(getThreadInRole(c, op), threads) : c.threadId();
    Value index = b.add(thread, first);
    Value alongOuter = b.divU(index, lines);
    Value alongInner = b.mul(b.remU(index, lines), perLine);
    Value m = b.add(one(op.getM()), alongN ? alongOuter : alongInner);
    Value n = b.add(one(op.getN()), alongN ? alongInner : alongOuter);
    Value fetches = b.bitAnd(b.lessU(m, one(op.getExtentM())),
                             b.lessU(n, one(op.getExtentN())));
    if (first + threads > outer * lines)
      fetches = b.bitAnd(fetches, b.lessU(index, b.i32(outer * lines)));
    if (isUsed)
      fetches = b.bitAnd(fetches, isUsed);
    buildIf(b, fetches, [&] { prefetchLine(op, base, m, n); });
  }
}

void tcgemm::populateEpiloguePatterns(LoweringContext &c,
                                      RewritePatternSet &patterns) {
  addFamily<EpilogueLowering, EpilogueOp, PrefetchOp>(c, patterns);
}
