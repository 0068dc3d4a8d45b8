//===- Producer.cpp - The role that fills the stages ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of the producing warpgroup copies by TMA. All of its threads copy
// operands that TMA cannot copy, by cp.async to the same layout. Their copies
// form one group for each stage, and some groups remain in flight while the
// next stage is filled.
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Producer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

WgmmaProducer::WgmmaProducer(const WgmmaContext &context,
                             const WgmmaTiles &tiles, const WgmmaStages &stages)
    : context(context), p(context.p), c(context.c), tiles(tiles),
      stages(stages), ring(stages.getRing()) {
  for (const WgmmaOperand *operand : {&stages.getRows(), &stages.getColumns()})
    if (operand->byThreads)
      copied.push_back({operand, {}});
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

Value WgmmaProducer::getOwn(const WgmmaOperand &operand) const {
  if (operand.share == 1)
    return p.i32(0);
  return p.mul(tiles.getRank(1 - operand.index), p.i32(operand.box.getRows()));
}

/// One operand's copies into a stage by TMA.
void WgmmaProducer::loadStage(const WgmmaOperand &operand,
                              const WgmmaPlace &place, const Depth &depth,
                              Value state, Value write) {
  for (int64_t matrix = 0; matrix < operand.matrices; ++matrix)
    loadMatrix(operand, matrix, place, depth, state, write);
}

/// The copies of one matrix's part of a stage. Where CTAs share it, each copies
/// its part to all.
void WgmmaProducer::loadMatrix(const WgmmaOperand &operand, int64_t matrix,
                               const WgmmaPlace &place, const Depth &at,
                               Value state, Value write) {
  auto &b = p.b();
  int64_t depth = operand.depth;
  int64_t boxes = operand.getBoxes();
  Value own = getOwn(operand);
  std::string dims = p.getDims(operand.index);
  SmallVector<Value> outer = p.splitOuter(place.batch);
  if (at.summed)
    outer.push_back(at.summed);
  for (int64_t part = 0; part < operand.parts; ++part)
    for (int64_t box = 0; box < boxes; ++box) {
      Value along =
          stages.countAlongK(operand, p.add(at.k, p.i32(part * depth)));
      Value across = operand.side == 'm' ? place.m : place.n;
      if (operand.transposed) {
        along = p.add(along, own);
        across = p.add(across, p.i32(box * 64));
      } else {
        across = p.add(across, own);
      }
      SmallVector<Value> coordinates;
      for (char dim : llvm::reverse(dims))
        coordinates.push_back(isOuter(dim) ? outer[kOuterLetters.find(dim)]
                              : dim == 'k' ? along
                                           : across);
      Value row =
          p.add(own, p.i32(matrix * operand.getRowsOfMatrix() + box * depth));
      b.create<TmaLoadOp>(
          operand.maps[matrix], coordinates, ValueRange(), ring, state, write,
          row, stages.getTile(operand, part),
          operand.share > 1 ? context.getMulticast(operand.index) : 0);
    }
}

/// The same for the windows of a convolution, whose first one is known.
void WgmmaProducer::loadWindows(const WgmmaOperand &operand, Value k,
                                Value state, Value write) {
  for (int64_t part = 0; part < operand.parts; ++part) {
    WindowStep step = locateStep(p, p.add(k, p.i32(part * operand.depth)));
    p.b().create<TmaLoadOp>(
        operand.maps.front(),
        ValueRange{step.channel, window.column, window.row, window.image},
        step.offsets, ring, state, write, getOwn(operand),
        stages.getTile(operand, part),
        operand.share > 1 ? context.getMulticast(operand.index) : 0);
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Prepares the copies of a tile's slice; returns the thread's address for the
/// first stage.
Value WgmmaProducer::startCopies(Copied &copies, const WgmmaPlace &place) {
  auto &b = p.b();
  const WgmmaOperand &operand = *copies.operand;
  unsigned index = operand.index;
  auto type =
      LoaderType::get(b.getContext(), operand.box, index ? c.copyB : c.copyA,
                      !operand.transposed, kWgmmaProducerThreads,
                      /*transposed=*/false);
  Value across = operand.side == 'm' ? place.m : place.n;
  Value extent = p.size(operand.side == 'm' ? "M" : "N");
  Value stride = p.stride(index, operand.transposed ? 'k' : operand.side);
  copies.loaders.clear();
  for (int64_t box = 0; box < operand.getBoxes(); ++box)
    copies.loaders.push_back(b.create<LoaderCreateOp>(
        type, p.pointer(index), stride, p.add(across, p.i32(box * 64)), extent,
        /*phase=*/Value()));
  return b.create<LoaderStartOp>(
      b.getI64Type(), copies.loaders.front(), p.outerOffset(index, place.batch),
      p.mul(place.firstK, p.i32(c.cta[2] / operand.packed)));
}

/// One operand's copies into a stage; `kLeft` elements along k are left.
void WgmmaProducer::copyStage(const Copied &copies, Value address, Value kLeft,
                              Value state, Value write) {
  auto &b = p.b();
  int64_t depth = copies.operand->depth / copies.operand->packed;
  kLeft = stages.countAlongK(*copies.operand, kLeft);
  for (int64_t part = 0; part < copies.operand->parts; ++part) {
    Value start = address;
    if (part)
      start = b.create<LoaderAdvanceOp>(b.getI64Type(), copies.loaders.front(),
                                        address, p.i32(part * depth));
    Value valid = p.sub(kLeft, p.i32(part * depth));
    for (auto [box, loader] : llvm::enumerate(copies.loaders))
      b.create<LoaderCopyOp>(loader, p.add(start, p.i64(box * 64)), ring, state,
                             write, valid,
                             stages.getTile(*copies.operand, part), /*part=*/0,
                             /*parts=*/1, /*row=*/box * depth);
  }
}

/// Groups of copies that stay in flight while the next stage is waited for. The
/// more, the more of their latency is hidden; but a stage is full only when it
/// is published, and the consumers need one to release the one before.
int64_t WgmmaProducer::getGroupsBehind() const {
  bool isAsync = llvm::any_of(copied, [&](const Copied &copies) {
    return (copies.operand->index ? c.copyB : c.copyA) > 2 &&
           !getProblemInfo(p.getKernel()).roundsOperands();
  });
  return isAsync ? (c.stages - 1) / 2 : 0;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// The stages of one tile. Carried are the ring's position and the groups in
/// flight, the oldest first.
SmallVector<Value> WgmmaProducer::produceTile(const WgmmaPlace &place,
                                              ValueRange carried) {
  auto &b = p.b();
  SmallVector<Value> initial(carried);
  for (Copied &copies : copied)
    initial.push_back(startCopies(copies, place));
  for (const WgmmaOperand *operand : {&stages.getRows(), &stages.getColumns()})
    if (operand->hasWindow)
      window = locateWindow(p, p.add(place.m, getOwn(*operand)));
  auto loop = b.create<scf::ForOp>(place.firstK, place.endK, p.i32(1), initial);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Value at = arguments.front();
  SmallVector<Value> groups(arguments.slice(1, carried.size() - 1));
  ValueRange addresses = arguments.drop_front(carried.size());
  auto [k, summed] = tiles.locateDepth(place, loop.getInductionVar());
  Value write =
      b.create<RingAcquireOp>(context.getToken(TokenKind::Write), ring, at);
  for (const WgmmaOperand *operand : {&stages.getRows(), &stages.getColumns()})
    if (operand->hasWindow)
      loadWindows(*operand, k, at, write);
    else if (!operand->byThreads)
      loadStage(*operand, place, {k, summed}, at, write);
  Value kLeft = addresses.empty() ? Value() : p.sub(p.depth(c), k);
  for (auto [copies, address] : llvm::zip_equal(copied, addresses))
    copyStage(copies, address, kLeft, at, write);
  commit(write, groups);
  SmallVector<Value> next{stages.advance(at)};
  llvm::append_range(next, groups);
  for (auto [copies, address] : llvm::zip_equal(copied, addresses))
    next.push_back(b.create<LoaderAdvanceOp>(
        address.getType(), copies.loaders.front(), address,
        p.i32(c.cta[2] / copies.operand->packed)));
  b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(
      loop.getResults().take_front(carried.size()));
}

/// Ends a stage. A group of copies takes its place behind `groups`, and the
/// oldest is published.
void WgmmaProducer::commit(Value write, SmallVectorImpl<Value> &groups) {
  auto &b = p.b();
  if (copied.empty()) {
    b.create<RingCommitOp>(Type(), ring, write);
    return;
  }
  auto commit = b.create<RingCommitOp>(context.getToken(TokenKind::InFlight),
                                       ring, write);
  groups.push_back(commit.getInFlight());
  publishOldest(groups);
}

void WgmmaProducer::publishOldest(SmallVectorImpl<Value> &groups) {
  p.b().create<RingPublishOp>(ring, groups.front(), groups.size() - 1);
  groups.erase(groups.begin());
}

void WgmmaProducer::build() {
  auto &b = p.b();
  OpBuilder::InsertionGuard scope(b);
  context.startRole(RoleKind::Producer, /*firstWarp=*/0, /*warps=*/4);
  SmallVector<Value> start{stages.start()};
  for (int64_t i = 0; i < getGroupsBehind(); ++i)
    start.push_back(b.create<RingEmptyGroupOp>(
        context.getToken(TokenKind::InFlight), ring));
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  SmallVector<Value> end =
      tiles.forEach(tiles.getFirst(), tiles.getStep(), start,
                    [&](const WgmmaPlace &place, ValueRange now) {
                      return produceTile(place, now);
                    });
  // The last loads are on their way. What starts now takes the room of CTAs
  // that end: all of these run by then.
  if (c.waitsForGrids())
    b.create<GridLaunchDependentsOp>();
  SmallVector<Value> groups(ArrayRef<Value>(end).drop_front());
  while (!groups.empty())
    publishOldest(groups);
  // A CTA must not end while others still release its stages.
  if (context.getMulticast() > 1)
    b.create<RingAwaitReleasesOp>(ring, end.front());
}
