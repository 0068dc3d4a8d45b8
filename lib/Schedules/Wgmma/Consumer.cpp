//===- Consumer.cpp - A role that multiplies the stages -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Consumer.h"
#include "Common/ElementFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

/// Threads of the two roles that take turns.
static constexpr int64_t kOrderThreads = 256;

Value WgmmaConsumer::multiply(Value state, Value read, Value acc, bool isNew,
                              llvm::function_ref<void()> releaseBefore) {
  if (stages.areRowsInRegisters())
    return multiplyFragments(state, read, acc, isNew, releaseBefore);
  acc = multiplyTiles(state, read, acc, isNew);
  if (releaseBefore) {
    acc = p.b().create<MmaAwaitOp>(acc.getType(), acc, getPending());
    releaseBefore();
  }
  return acc;
}

/// The products of tiles in shared memory.
Value WgmmaConsumer::multiplyTiles(Value state, Value read, Value acc,
                                   bool isNew) {
  auto &b = p.b();
  Value row;
  if (c.getSharers() > 1)
    row = p.mul(group, p.i32(context.getShareRows()));
  for (int64_t part = 0; part < stages.getColumns().parts; ++part) {
    Value accumulate;
    if (isNew && part == 0)
      accumulate = b.create<arith::ConstantIntOp>(0, 1);
    acc = b.create<MmaAsyncOp>(
        context.getInstructionAcc(/*inFlight=*/true), stages.getRing(), state,
        read, acc, row, accumulate, stages.getTile(stages.getRows(), part),
        stages.getTile(stages.getColumns(), part), stages.getRows().transposed,
        stages.getColumns().transposed);
  }
  return acc;
}

/// The products of fragments, which are converted or mapped in registers while
/// the products before run. The bytes of two steps are loaded ahead.
Value WgmmaConsumer::multiplyFragments(Value state, Value read, Value acc,
                                       bool isNew,
                                       llvm::function_ref<void()> releaseBefore,
                                       int64_t part, int64_t parts,
                                       Value zeroPoints) {
  constexpr int64_t ahead = 2;
  auto &b = p.b();
  const WgmmaOperand &rows = stages.getRows(), &columns = stages.getColumns();
  FragmentType narrow = stages.getFragmentType();
  auto wide = FragmentType::get(
      b.getContext(), FragmentRole::A, narrow.getRows(), narrow.getDepth(),
      columns.tile.getElementType(), AccLayout::Wgmma);
  int64_t depth = narrow.getDepth(), steps = c.cta[2] / parts / depth;
  int64_t firstStep = part * steps;
  // Before the registers of a fragment are written again, all but so many
  // products have ended. The stage before is released when only products of
  // this one are left: of a ring of two stages, as soon as possible.
  int64_t pending =
      stages.areRowsMapped() && mayBranch(p.getKernel(), rows.index)
          ? 0
          : getPendingFragments(steps);
  int64_t atRelease = c.stages == 2 || pending == 0 ? 1 : pending;
  int64_t inFlight = isNew ? 0 : pending;
  AccType type = context.getInstructionAcc(/*inFlight=*/true);
  SmallVector<Value> loaded;
  auto load = [&](int64_t step) {
    if (step >= steps)
      return;
    int64_t k = (firstStep + step) * depth;
    loaded.push_back(b.create<FragmentLoadOp>(
        narrow, stages.getRing(), state, read,
        c.getSharers() > 1 ? group : p.i32(0), /*warp_k=*/Value(),
        stages.getTile(rows, k / rows.depth), k % rows.depth / depth,
        /*transposed=*/false, /*warps_k=*/1, /*loader=*/Value()));
  };
  for (int64_t step = 0; step < ahead; ++step)
    load(step);
  for (int64_t step = 0; step < steps; ++step) {
    int64_t k = (firstStep + step) * depth;
    Value fragment =
        stages.areRowsMapped()
            ? mapFragment(p, rows.index, loaded[step], /*valid=*/Value())
            : b.create<FragmentConvertOp>(wide, loaded[step], zeroPoints)
                  .getResult();
    load(step + ahead);
    acc = b.create<MmaAsyncFragmentOp>(
        type, fragment, stages.getRing(), state, read, acc,
        stages.getTile(columns, k / columns.depth), k % columns.depth / depth,
        isNew && step == 0);
    bool releases = releaseBefore && step + 1 == atRelease;
    int64_t limit = releases && pending ? atRelease : pending;
    if (++inFlight > limit) {
      acc = await(acc, limit);
      inFlight = limit;
    }
    if (releases)
      releaseBefore();
  }
  return acc;
}

/// Waits until at most `pending` of the products that add to `acc` are left.
Value WgmmaConsumer::await(Value acc, int64_t pending) {
  if (!cast<AccType>(acc.getType()).getInFlight())
    return acc;
  AccType type = context.getInstructionAcc(/*inFlight=*/pending != 0);
  return p.b().create<MmaAwaitOp>(type, acc, pending);
}

Value WgmmaConsumer::waitFor(Value state) {
  return p.b().create<RingWaitOp>(context.getToken(TokenKind::Read),
                                  stages.getRing(), state, Value(), 0);
}

void WgmmaConsumer::release(Value read) {
  int64_t multicast = context.getMulticast();
  p.b().create<RingReleaseOp>(stages.getRing(), read, context.getArrivals(),
                              multicast > 1 ? multicast : 0);
}

/// The place of the running warpgroup's part of the tile.
WgmmaPlace WgmmaConsumer::getOwn(const WgmmaPlace &place) const {
  WgmmaPlace own = place;
  if (c.getSharers() > 1) {
    Value &origin = c.swapAB ? own.n : own.m;
    origin = p.add(origin, p.mul(group, p.i32(context.getShareRows())));
  }
  return own;
}

/// All of a tile's products, a stage after the other. The sum of each stage is
/// added to the total in registers; meanwhile other warpgroups multiply.
Value WgmmaConsumer::multiplyStages(const WgmmaPlace &place, Value &state) {
  auto &b = p.b();
  AccType partType = context.getInstructionAcc(/*inFlight=*/false);
  Value none = b.create<AccZeroOp>(partType);
  if (scales)
    scales->start(getOwn(place));
  auto loop = b.create<scf::ForOp>(place.firstK, place.endK, p.i32(1),
                                   ValueRange{p.extend(none), state});
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value total = loop.getRegionIterArg(0), at = loop.getRegionIterArg(1);
    Value read = waitFor(at);
    Value part = multiply(at, read, none, /*isNew=*/true);
    // The products run meanwhile.
    SmallVector<Value> factors;
    if (scales)
      factors = scales->next(loop.getInductionVar());
    part = await(part, 0);
    release(read);
    total = b.create<AccAddOp>(total, p.extend(part), factors);
    b.create<scf::YieldOp>(ValueRange{total, stages.advance(at)});
  }
  state = loop.getResult(1);
  return loop.getResult(0);
}

/// The same with scales of groups: the sum of each part of a stage is scaled
/// and added to the total.
Value WgmmaConsumer::multiplyGroups(const WgmmaPlace &place, Value &state) {
  auto &b = p.b();
  AccType partType = context.getInstructionAcc(/*inFlight=*/false);
  Value none = b.create<AccZeroOp>(partType);
  SmallVector<Value> starts{p.extend(none), state};
  llvm::append_range(starts, groups->start(getOwn(place)));
  auto loop = b.create<scf::ForOp>(place.firstK, place.endK, p.i32(1), starts);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value tile = loop.getInductionVar();
    Value total = loop.getRegionIterArg(0), at = loop.getRegionIterArg(1);
    ValueRange values = loop.getRegionIterArgs().drop_front(2);
    Value read = waitFor(at);
    SmallVector<Value> nextValues = groups->advance(values, tile);
    int64_t parts = groups->getParts();
    for (int64_t i = 0; i < parts; ++i) {
      Value zeroPoints = groups->getZeroPoints(values, tile, i);
      Value part =
          multiplyFragments(at, read, none, /*isNew=*/true,
                            /*releaseBefore=*/{}, i, parts, zeroPoints);
      // The products run meanwhile.
      Value scales = groups->getScales(values, tile, i);
      part = b.create<MmaAwaitOp>(partType, part, 0);
      if (i + 1 == parts)
        release(read);
      total = b.create<AccAddOp>(total, p.extend(part), scales);
    }
    SmallVector<Value> carried{total, stages.advance(at)};
    llvm::append_range(carried, nextValues);
    b.create<scf::YieldOp>(carried);
  }
  state = loop.getResult(1);
  return loop.getResult(0);
}

/// All of a tile's products. The first stage is peeled: it starts from nothing.
/// One stage's products stay in flight; it is released an iteration later.
Value WgmmaConsumer::multiplyTile(const WgmmaPlace &place, Value &state) {
  auto &b = p.b();
  AccType sumType = context.getInstructionAcc(/*inFlight=*/false);
  Value none = b.create<AccZeroOp>(sumType);
  Value read = waitFor(state);
  Value acc = multiply(state, read, none, /*isNew=*/true);
  auto loop =
      b.create<scf::ForOp>(p.add(place.firstK, p.i32(1)), place.endK, p.i32(1),
                           ValueRange{acc, read, stages.advance(state)});
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value before = loop.getRegionIterArg(1), at = loop.getRegionIterArg(2);
    Value current = waitFor(at);
    Value sum = multiply(at, current, loop.getRegionIterArg(0),
                         /*isNew=*/false, [&] { release(before); });
    b.create<scf::YieldOp>(ValueRange{sum, current, stages.advance(at)});
  }
  state = loop.getResult(2);
  Value sum = await(loop.getResult(0), 0);
  release(loop.getResult(1));
  return p.extend(sum);
}

/// One tile. Carried are the ring's position and that of the staged inputs.
SmallVector<Value> WgmmaConsumer::consumeTile(const WgmmaPlace &place,
                                              ValueRange carried) {
  auto &b = p.b();
  Value state = carried[0];
  if (inputs)
    inputs->load(carried[1], place.batch, place.m, place.n);
  WgmmaPlace own;
  if (epilogue.isEarly())
    own = epilogue.getShare(place, group);
  else if (c.splitK == 1)
    epilogue.prefetch(epilogue.getShare(place, group), inputs);
  if (turn >= 0)
    b.create<OrderWaitOp>(turn, kOrderThreads);
  Value acc = groups                ? multiplyGroups(place, state)
              : c.wgmma.promoteSums ? multiplyStages(place, state)
                                    : multiplyTile(place, state);
  if (turn >= 0) {
    b.create<OrderArriveOp>(1 - turn, kOrderThreads);
    state = stages.advance(state, tiles.getTilesK());
  }
  if (!epilogue.isEarly())
    own = epilogue.getShare(place, group);
  if (!inputs) {
    epilogue.finish(own, acc);
    return {state};
  }
  Value read = inputs->wait(carried[1]);
  epilogue.store(own, acc, inputs, read);
  inputs->release(read);
  return {state, inputs->advance(carried[1])};
}

void WgmmaConsumer::build(int64_t firstWarp, int64_t warps) {
  auto &b = p.b();
  OpBuilder::InsertionGuard scope(b);
  context.startRole(RoleKind::Consumer, firstWarp, warps);
  if (c.getSharers() > 1)
    group = b.create<WarpgroupOp>(b.getI32Type());
  KernelOp kernel = p.getKernel();
  if (kernel.findGrouped())
    groups.emplace(context);
  else if (kernel.findScales(0) || kernel.findScales(1))
    scales.emplace(context);
  Value start = stages.start();
  Value from = tiles.getFirst(), by = tiles.getStep();
  if (turn >= 0)
    by = p.add(tiles.getStep(), tiles.getStep());
  if (turn > 0) {
    // The other goes first; this one starts behind its tile.
    start = stages.advance(start, tiles.getTilesK());
    from = p.add(tiles.getFirst(), tiles.getStep());
    b.create<OrderArriveOp>(0, kOrderThreads);
  }
  // Who has waited for stages knows that the grids ahead have ended, but only
  // by way of the producer: inputs and stores are the consumers' own.
  if (c.dependentLaunch)
    b.create<GridWaitOp>();
  SmallVector<Value> starts{start};
  if (inputs)
    starts.push_back(inputs->start());
  tiles.forEach(from, by, starts,
                [&](const WgmmaPlace &place, ValueRange carried) {
                  return consumeTile(place, carried);
                });
  if (c.epilogue == EpilogueKind::Tma && c.splitK == 1)
    b.create<TmaAwaitOp>();
}
