//===- Epilogue.cpp - Epilogues of the wgmma program ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Epilogue.h"
#include "Common/Programs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Target/Chip.h"

using namespace mlir;
using namespace tcgemm;

WgmmaPlace WgmmaEpilogue::getShare(WgmmaPlace place, Value group) const {
  if (c.getSharers() > 1) {
    Value &origin = c.swapAB ? place.n : place.m;
    origin = p.add(origin, p.mul(group, p.i32(context.getShareRows())));
  }
  if (c.getSumParts() > 1) {
    Value &origin = c.swapAB ? place.m : place.n;
    origin = p.add(origin, p.mul(tiles.getRank(2),
                                 p.i32(context.getStoredAcc().getColumns())));
  }
  return place;
}

/// Returns whether the sums and the epilogue's inputs fit in `available`
/// registers of a thread; false if the epilogue has no inputs.
bool WgmmaEpilogue::fitsInRegisters(int64_t available) const {
  constexpr int64_t otherRegisters = 85;
  // A thread has 2 of 64 rows and of 8 columns.
  AccType acc = context.getStoredAcc();
  int64_t rows = acc.getRows() / 32, columns = acc.getColumns() / 4;
  int64_t sums = rows * columns * (p.getKernel().findSecond() ? 2 : 1);
  if (c.swapAB)
    std::swap(rows, columns);
  int64_t held = 0;
  KernelOp kernel = p.getKernel();
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr info = kernel.getOperandInfo(i);
    if (info.getRole() == OperandRole::Input)
      held += (info.getDims().contains('m') ? rows : 1) *
              (info.getDims().contains('n') ? columns : 1);
  }
  return held > 0 && sums + held + otherRegisters <= available;
}

/// Inputs are read early where a CTA has one tile, behind whose products
/// nothing else would hide their latency, and registers for them; also for a
/// second CTA, if the multiprocessor's shared memory has room for its ring.
/// Sums of stages take the registers, and no stage's wait is ahead of their
/// loop.
bool WgmmaEpilogue::readsEarly() const {
  constexpr int64_t most = 240;
  if (c.persistent || c.wgmma.stageInputs || c.wgmma.promoteSums ||
      c.splitK > 1 || c.minCtas > 1 || c.getSumParts() < c.wgmma.cluster[2])
    return false;
  const ChipInfo &chip = llvm::cantFail(lookupChip(*p.getKernel().getChip()));
  int64_t ring = c.stages * (c.cta[0] + c.cta[1]) * c.cta[2] * 2;
  bool hasNeighbour = 2 * (ring + chip.sharedReserved) <= chip.sharedPerSM;
  return fitsInRegisters(
      hasNeighbour ? chip.registersPerSM / (2 * c.getNumThreads()) : most);
}

/// The epilogue's inputs are copied while the products run. Of many tiles'
/// vectors the first brings most, and their addresses cost pingpong kernels a
/// spill.
void WgmmaEpilogue::prefetch(const WgmmaPlace &own,
                             const StagedInputs *inputs) const {
  AccType acc = context.getStoredAcc();
  int64_t rows = acc.getRows(), columns = acc.getColumns();
  if (c.swapAB)
    std::swap(rows, columns);
  buildPrefetch(p, rows, columns, own.batch, own.m, own.n,
                inputs ? inputs->getOperands() : ArrayRef<unsigned>(),
                /*vectors=*/!c.persistent);
}

void WgmmaEpilogue::finish(const WgmmaPlace &own, Value acc) const {
  if (c.wgmma.cluster[2] > 1)
    reduceAndStore(own, acc);
  else
    store(own, acc, /*inputs=*/nullptr, /*token=*/Value());
}

/// Adds up what the cluster's CTAs have of their slices of k, and stores this
/// one's part of that, `own`.
void WgmmaEpilogue::reduceAndStore(const WgmmaPlace &own, Value acc) const {
  auto &b = p.b();
  Value part = tiles.getRank(2);
  Value sum = b.create<AccClusterReduceOp>(
      context.getStoredAcc(), acc, part, c.wgmma.cluster[2],
      c.wgmma.cluster[0] * c.wgmma.cluster[1]);
  OpBuilder::InsertionGuard scope(b);
  if (c.getSumParts() < c.wgmma.cluster[2]) {
    Value stores =
        p.cmp(arith::CmpIPredicate::ult, part, p.i32(c.getSumParts()));
    auto branch = b.create<scf::IfOp>(stores, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  store(own, sum, /*inputs=*/nullptr, /*token=*/Value());
}

void WgmmaEpilogue::store(const WgmmaPlace &own, Value acc,
                          const StagedInputs *inputs, Value token) const {
  StoreInfo info;
  info.early = early;
  info.kind = c.epilogue;
  info.buffers = c.epilogue == EpilogueKind::Tma ? c.wgmma.epilogueBuffers : 0;
  info.warpgroups = c.getSharers();
  info.transposed = c.swapAB;
  info.staged = inputs;
  info.token = token;
  info.endM = own.endM;
  if (p.getKernel().findSecond()) {
    auto split = p.b().create<AccSplitOp>(context.getStoredAcc(),
                                          context.getStoredAcc(), acc);
    acc = split.getLeft();
    info.second = split.getRight();
  }
  if (c.splitK != 1) {
    buildPartialStore(p, acc, own.slice, own.batch, own.m, own.n, info);
    return;
  }
  buildEpilogue(p, acc, own.batch, own.m, own.n, info);
  if (!own.isReflected)
    return;
  // The accumulator's rows are those of the tile above the diagonal,
  // transposed.
  auto branch =
      p.b().create<scf::IfOp>(own.isReflected, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(p.b());
  p.b().setInsertionPointToStart(branch.thenBlock());
  info.transposed = !info.transposed;
  buildEpilogue(p, acc, own.batch, own.n, own.m, info);
}
