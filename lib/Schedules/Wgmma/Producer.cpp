//===- Producer.cpp - Who fills the stages, and how -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of the producing warpgroup copies by TMA. What TMA cannot copy,
// all of its threads do by cp.async, to the same places. Their copies are
// groups, one a stage, some of which stay in flight behind that of the running
// stage.
//
//===----------------------------------------------------------------------===//

#include "Common/Programs.h"
#include "Wgmma/Program.h"
#include "tcgemm/Config/Legality.h"

using namespace mlir;
using namespace tcgemm;

/// Threads of the producing warpgroup.
static constexpr int64_t kProducerThreads = 128;

WgmmaSchedule::Operand WgmmaSchedule::makeOperand(unsigned index) {
  KernelOp kernel = p.getKernel();
  MLIRContext *context = kernel.getContext();
  Type element = kernel.getOperandInfo(index).getElementType();
  Operand operand;
  operand.index = index;
  operand.side = index ? 'n' : 'm';
  operand.extent = c.cta[index];
  operand.transposed = !isKContiguous(kernel, index);
  operand.byThreads = llvm::is_contained(copied, index);
  operand.share = c.wgmma.cluster[1 - index];
  int64_t depth = getPartDepth();
  if (operand.transposed) {
    auto make = [&](int64_t rowCount) {
      return TileType::get(context, rowCount, 64, element, Swizzle::B128);
    };
    operand.tile = make(operand.extent / 64 * depth);
    operand.box = make(depth / operand.share);
  } else {
    auto make = [&](int64_t rowCount) {
      return TileType::get(context, rowCount, depth, element,
                           depth == 64 ? Swizzle::B128 : Swizzle::B64);
    };
    operand.tile = make(operand.extent);
    operand.box = make(operand.extent / operand.share);
  }
  if (!operand.byThreads)
    operand.map = p.tensorMap(index, operand.box, c.wgmma.l2Promotion);
  return operand;
}

void WgmmaSchedule::createRings() {
  SmallVector<TileType> tiles;
  for (int64_t part = 0; part < getParts(); ++part)
    tiles.append({rows.tile, columns.tile});
  auto type =
      RingType::get(p.b().getContext(), c.stages, RingKind::MBarrier, tiles);
  int64_t producers = rows.byThreads && columns.byThreads ? 0 : 1;
  if (rows.byThreads || columns.byThreads)
    producers += kProducerThreads;
  ring = p.b().create<RingCreateOp>(
      type, producers,
      getArrivals() * llvm::popcount(uint64_t(getMulticast())));
  if (!c.wgmma.stageInputs)
    return;
  AccType acc = getAcc(/*inFlight=*/false);
  for (int64_t role = 0; role < c.getConsumers() / c.getSharers(); ++role)
    staged.push_back(std::make_unique<StagedInputs>(
        p, acc, c.getSharers(), getChunkColumns(p.getKernel(), acc)));
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// One operand's copies into a stage by TMA. Where CTAs share it, each copies
/// its part to all.
void WgmmaSchedule::loadStage(const Operand &operand, const Place &place,
                              Value k, Value state, Value write) {
  auto &b = p.b();
  bool isColumns = operand.index == columns.index;
  int64_t depth = getPartDepth();
  int64_t boxes = operand.getBoxes();
  int64_t boxRows = operand.box.getRows();
  Value own = operand.share > 1
                  ? p.mul(getRank(1 - operand.index), p.i32(boxRows))
                  : p.i32(0);
  StringRef dims = p.getKernel().getOperandInfo(operand.index).getDims();
  for (int64_t part = 0; part < getParts(); ++part)
    for (int64_t box = 0; box < boxes; ++box) {
      Value along = p.add(k, p.i32(part * depth));
      Value across = operand.side == 'm' ? place.m : place.n;
      if (operand.transposed) {
        along = p.add(along, own);
        across = p.add(across, p.i32(box * 64));
      } else {
        across = p.add(across, own);
      }
      SmallVector<Value> coordinates;
      for (char dim : llvm::reverse(dims))
        coordinates.push_back(dim == 'b'   ? place.batch
                              : dim == 'k' ? along
                                           : across);
      Value row = p.add(own, p.i32(box * depth));
      b.create<TmaLoadOp>(operand.map, coordinates, ring, state, write, row,
                          2 * part + isColumns,
                          operand.share > 1 ? getMulticast(operand.index) : 0);
    }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Prepares the copies of a tile's slice; returns the thread's address of the
/// first stage.
Value WgmmaSchedule::startCopies(Operand &operand, const Place &place) {
  auto &b = p.b();
  unsigned index = operand.index;
  auto type =
      LoaderType::get(b.getContext(), operand.box, index ? c.copyB : c.copyA,
                      !operand.transposed, kProducerThreads,
                      /*transposed=*/false);
  Value across = operand.side == 'm' ? place.m : place.n;
  Value extent = p.size(operand.side == 'm' ? "M" : "N");
  Value stride = p.stride(index, operand.transposed ? 'k' : operand.side);
  operand.loaders.clear();
  for (int64_t box = 0; box < operand.getBoxes(); ++box)
    operand.loaders.push_back(b.create<LoaderCreateOp>(
        type, p.pointer(index), stride, p.add(across, p.i32(box * 64)), extent,
        /*phase=*/Value()));
  return b.create<LoaderStartOp>(
      b.getI64Type(), operand.loaders.front(),
      p.mul(p.ext(place.batch), p.stride(index, 'b')),
      p.mul(place.firstK, p.i32(c.cta[2])));
}

/// One operand's copies into a stage; `kLeft` elements along k are left.
void WgmmaSchedule::copyStage(const Operand &operand, Value address,
                              Value kLeft, Value state, Value write) {
  auto &b = p.b();
  bool isColumns = operand.index == columns.index;
  int64_t depth = getPartDepth();
  for (int64_t part = 0; part < getParts(); ++part) {
    Value start = address;
    if (part)
      start = b.create<LoaderAdvanceOp>(b.getI64Type(), operand.loaders.front(),
                                        address, p.i32(part * depth));
    Value valid = p.sub(kLeft, p.i32(part * depth));
    for (auto [box, loader] : llvm::enumerate(operand.loaders))
      b.create<LoaderCopyOp>(loader, p.add(start, p.i64(box * 64)), ring, state,
                             write, valid, 2 * part + isColumns, /*part=*/0,
                             /*parts=*/1, /*row=*/box * depth);
  }
}

SmallVector<WgmmaSchedule::Operand *, 2> WgmmaSchedule::getCopied() {
  SmallVector<Operand *, 2> operands;
  for (Operand *operand : {&rows, &columns})
    if (operand->byThreads)
      operands.push_back(operand);
  return operands;
}

/// Groups of copies that stay in flight while the next stage is waited for. The
/// more, the more of their latency is hidden; but a stage is full only when it
/// is published, and the consumers need one to release the one before.
int64_t WgmmaSchedule::getGroupsBehind() {
  bool isAsync = llvm::any_of(getCopied(), [&](Operand *operand) {
    return (operand->index ? c.copyB : c.copyA) > 2;
  });
  return isAsync ? (c.stages - 1) / 2 : 0;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// The stages of one tile. Carried are the ring's position and the groups in
/// flight, the oldest first.
SmallVector<Value> WgmmaSchedule::produceTile(const Place &place,
                                              ValueRange carried) {
  auto &b = p.b();
  SmallVector<Value> initial(carried);
  for (Operand *operand : getCopied())
    initial.push_back(startCopies(*operand, place));
  auto loop = b.create<scf::ForOp>(place.firstK, place.endK, p.i32(1), initial);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  Value at = arguments.front();
  SmallVector<Value> groups(arguments.slice(1, carried.size() - 1));
  ValueRange addresses = arguments.drop_front(carried.size());
  Value k = p.mul(loop.getInductionVar(), p.i32(c.cta[2]));
  Value write = b.create<RingAcquireOp>(token(TokenKind::Write), ring, at);
  for (const Operand *operand : {&rows, &columns})
    if (!operand->byThreads)
      loadStage(*operand, place, k, at, write);
  Value kLeft = addresses.empty() ? Value() : p.sub(p.size("K"), k);
  for (auto [operand, address] : llvm::zip_equal(getCopied(), addresses))
    copyStage(*operand, address, kLeft, at, write);
  commit(write, groups);
  SmallVector<Value> next{advance(at)};
  llvm::append_range(next, groups);
  for (auto [operand, address] : llvm::zip_equal(getCopied(), addresses))
    next.push_back(b.create<LoaderAdvanceOp>(
        address.getType(), operand->loaders.front(), address, p.i32(c.cta[2])));
  b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(
      loop.getResults().take_front(carried.size()));
}

/// Ends a stage. A group of copies takes its place behind `groups`, and the
/// oldest is published.
void WgmmaSchedule::commit(Value write, SmallVectorImpl<Value> &groups) {
  auto &b = p.b();
  if (getCopied().empty()) {
    b.create<RingCommitOp>(Type(), ring, write);
    return;
  }
  auto commit = b.create<RingCommitOp>(token(TokenKind::InFlight), ring, write);
  groups.push_back(commit.getInFlight());
  publishOldest(groups);
}

void WgmmaSchedule::publishOldest(SmallVectorImpl<Value> &groups) {
  p.b().create<RingPublishOp>(ring, groups.front(), groups.size() - 1);
  groups.erase(groups.begin());
}

void WgmmaSchedule::produce() {
  auto &b = p.b();
  auto role = b.create<RoleOp>(RoleKind::Producer,
                               b.getDenseI64ArrayAttr({0, 4}), IntegerAttr());
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(&role.getBody().emplaceBlock());
  setRegisters(role);
  SmallVector<Value> start{
      b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, 0)};
  for (int64_t i = 0; i < getGroupsBehind(); ++i)
    start.push_back(
        b.create<RingEmptyGroupOp>(token(TokenKind::InFlight), ring));
  if (c.dependentLaunch)
    b.create<GridWaitOp>();
  SmallVector<Value> end =
      forEachTile(first, step, start, [&](const Place &place, ValueRange now) {
        return produceTile(place, now);
      });
  // The last loads are on their way. What starts now takes the room of CTAs
  // that end: all of these run by then.
  if (c.dependentLaunch)
    b.create<GridLaunchDependentsOp>();
  SmallVector<Value> groups(ArrayRef<Value>(end).drop_front());
  while (!groups.empty())
    publishOldest(groups);
}
