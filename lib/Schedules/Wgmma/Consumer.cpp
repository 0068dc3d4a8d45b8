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
    return multiplyFragments({state, read}, acc, isNew, releaseBefore);
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
  Value accumulate;
  if (isNew)
    accumulate = b.create<arith::ConstantIntOp>(0, 1);
  for (auto [rowPart, columnPart] : stages.getProducts()) {
    acc = b.create<MmaAsyncOp>(
        context.getInstructionAcc(/*inFlight=*/true), stages.getRing(), state,
        read, acc, row, accumulate, stages.getTile(stages.getRows(), rowPart),
        stages.getTile(stages.getColumns(), columnPart),
        stages.getRows().transposed, stages.getColumns().transposed);
    accumulate = Value();
  }
  return acc;
}

Value WgmmaConsumer::loadFragment(const Stage &stage, int64_t step) {
  FragmentType type = stages.getFragmentType();
  const WgmmaOperand &rows = stages.getRows();
  int64_t depth = type.getDepth(), k = step * depth;
  auto &b = p.b();
  return b.create<FragmentLoadOp>(
      type, stages.getRing(), stage.state, stage.read,
      c.getSharers() > 1 ? group : p.i32(0), /*warp_k=*/Value(),
      stages.getTile(rows, k / rows.depth), k % rows.depth / depth,
      rows.transposed, /*warps_k=*/1,
      rows.transposed ? b.getI64IntegerAttr(rows.depth) : IntegerAttr(),
      /*loader=*/Value(), /*representation=*/RepresentationAttr());
}

Value WgmmaConsumer::prepareFragment(Value loaded, Value zeroPoints) {
  auto &b = p.b();
  if (stages.areRowsMapped())
    return mapFragment(p, stages.getRows().index, loaded, /*valid=*/Value());
  auto narrow = cast<FragmentType>(loaded.getType());
  auto [multiplied, _] = getMultipliedTypes(
      *getScalarType(narrow.getElementType()),
      *getScalarType(stages.getColumns().tile.getElementType()));
  auto wide = FragmentType::get(
      b.getContext(), FragmentRole::A, narrow.getRows(), narrow.getDepth(),
      getElementType(multiplied, b.getContext()), AccLayout::Wgmma);
  return b.create<FragmentConvertOp>(wide, loaded, zeroPoints);
}

Value WgmmaConsumer::multiplyFragment(const Stage &stage, int64_t step,
                                      Value fragment, Value acc, bool isNew) {
  const WgmmaOperand &columns = stages.getColumns();
  int64_t depth = stages.getFragmentType().getDepth(), k = step * depth;
  return p.b().create<MmaAsyncFragmentOp>(
      context.getInstructionAcc(/*inFlight=*/true), fragment, stages.getRing(),
      stage.state, stage.read, acc, stages.getTile(columns, k / columns.depth),
      k % columns.depth / depth, columns.transposed, isNew);
}

/// The fragments' bytes are loaded so many steps before they are prepared.
static constexpr int64_t kStepsAhead = 2;

/// The products of fragments, which are converted or mapped in registers while
/// the products before run.
Value WgmmaConsumer::multiplyFragments(
    const Stage &stage, Value acc, bool isNew,
    llvm::function_ref<void()> releaseBefore) {
  int64_t steps = countSteps(), first = getFirstStep();
  // Before the registers of a fragment are written again, all but so many
  // products have ended. The stage before is released when only products of
  // this one are left: of a ring of two stages, as soon as possible.
  int64_t pending =
      stages.areRowsMapped() && mayBranch(p.getKernel(), stages.getRows().index)
          ? 0
          : getPendingFragments(steps);
  int64_t atRelease = c.stages == 2 || pending == 0 ? 1 : pending;
  int64_t inFlight = isNew ? 0 : pending;
  SmallVector<Value> loaded;
  auto load = [&](int64_t step) {
    if (step < steps)
      loaded.push_back(loadFragment(stage, first + step));
  };
  for (int64_t step = 0; step < kStepsAhead; ++step)
    load(step);
  for (int64_t step = 0; step < steps; ++step) {
    Value fragment = prepareFragment(loaded[step]);
    load(step + kStepsAhead);
    acc = multiplyFragment(stage, first + step, fragment, acc,
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

/// Masks an operand's part of a stage if it is not all inside the band. The
/// parts start at `side` along m or n, and at `k`.
void WgmmaConsumer::mask(const WgmmaOperand &operand, Value state, Value read,
                         Value side, Value k) {
  auto &b = p.b();
  using P = arith::CmpIPredicate;
  const Band &band = *operand.band;
  int64_t onUnit = band.isUnit ? 1 : 0;
  // The distances k - side of the stage go from first - extent + 1 to
  // first + depth - 1.
  Value first = p.sub(k, side), outside;
  auto add = [&](Value condition) {
    outside = outside ? p.bitOr(outside, condition) : condition;
  };
  if (band.lower)
    add(p.cmp(P::slt, first, p.i32(*band.lower + onUnit + operand.extent - 1)));
  if (band.upper)
    add(p.cmp(P::sgt, first, p.i32(*band.upper - onUnit - c.cta[2] + 1)));
  auto branch = b.create<scf::IfOp>(outside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Band ofTile = operand.transposed ? band.transpose() : band;
  for (int64_t part = 0; part < operand.parts; ++part) {
    Value start = p.add(k, p.i32(part * operand.depth));
    b.create<RingMaskOp>(
        stages.getRing(), state, read, operand.transposed ? start : side,
        operand.transposed ? side : start, stages.getTile(operand, part),
        operand.transposed ? operand.depth : 0,
        BandAttr::get(b.getContext(), ofTile));
  }
}

/// Replaces the elements of a stage behind the first `left` ones along k, and
/// those before `first`, by zeros, if there are any: those of other groups.
void WgmmaConsumer::trim(Value state, Value read, Value left, Value first) {
  auto &b = p.b();
  using P = arith::CmpIPredicate;
  Value hasOthers = p.cmp(P::slt, left, p.i32(c.cta[2]));
  if (first)
    hasOthers = p.bitOr(hasOthers, p.cmp(P::sgt, first, p.i32(0)));
  auto branch = b.create<scf::IfOp>(hasOthers, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (const WgmmaOperand *operand : {&stages.getRows(), &stages.getColumns()})
    for (int64_t part = 0; part < operand->parts; ++part) {
      Value start = p.i32(part * operand->depth);
      b.create<RingTrimOp>(stages.getRing(), state, read, p.sub(left, start),
                           first ? p.sub(first, start) : Value(),
                           stages.getTile(*operand, part),
                           operand->transposed ? operand->depth : 0);
    }
}

Value WgmmaConsumer::waitFor(Value state, const WgmmaPlace &place,
                             Value number) {
  Value read = waitFor(state);
  if (place.depth) {
    Value start = p.mul(number, p.i32(c.cta[2]));
    trim(state, read, p.sub(place.depth, start),
         place.skippedK ? p.sub(place.skippedK, start) : Value());
  }
  for (const WgmmaOperand *operand : {&stages.getRows(), &stages.getColumns()})
    if (operand->band && !operand->band->hasZeros)
      mask(*operand, state, read, operand->side == 'm' ? place.m : place.n,
           p.mul(number, p.i32(c.cta[2])));
  return read;
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
    Value read = waitFor(at, place, loop.getInductionVar());
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

/// The products of a part of a stage that is of one group, whose sum is scaled
/// and added to `total`. The first fragment behind the part is prepared while
/// they run: that of the next part, or of the next stage, which `stage`
/// becomes, unless the stage `isLast`.
Value WgmmaConsumer::multiplyGroup(GroupStage &stage, int64_t number,
                                   Value total, bool isLast) {
  auto &b = p.b();
  int64_t parts = groups->getParts();
  int64_t steps = countSteps() / parts;
  int64_t first = getFirstStep() + number * steps;
  int64_t pending = getPendingFragments(steps);
  Value acc =
      b.create<AccZeroOp>(context.getInstructionAcc(/*inFlight=*/false));
  acc = multiplyFragment(stage, first, stage.fragment, acc, /*isNew=*/true);
  SmallVector<Value> loaded;
  auto load = [&](int64_t step) {
    if (step < steps)
      loaded.push_back(loadFragment(stage, first + step));
  };
  for (int64_t step = 1; step <= kStepsAhead; ++step)
    load(step);
  for (int64_t step = 1; step < steps; ++step) {
    Value fragment = prepareFragment(loaded[step - 1], stage.zeroPoints);
    load(step + kStepsAhead);
    acc = multiplyFragment(stage, first + step, fragment, acc, /*isNew=*/false);
    if (step + 1 > pending)
      acc = await(acc, pending);
  }
  Value scales = groups->getScales(stage.values, stage.tile, number);
  GroupStage next = stage;
  bool isStageEnd = number + 1 == parts;
  if (isStageEnd && !isLast) {
    next.tile = p.add(stage.tile, p.i32(1));
    next.values = groups->advance(stage.values, stage.tile);
    next.state = stages.advance(stage.state);
    next.read = waitFor(next.state);
  }
  if (!isStageEnd || !isLast)
    startGroup(next, isStageEnd ? 0 : number + 1);
  Value sum = await(acc, 0);
  if (isStageEnd)
    release(stage.read);
  stage = next;
  return b.create<AccAddOp>(total, p.extend(sum), scales);
}

/// Prepares the first fragment of a part.
void WgmmaConsumer::startGroup(GroupStage &stage, int64_t number) {
  int64_t steps = countSteps() / groups->getParts();
  Value loaded = loadFragment(stage, getFirstStep() + number * steps);
  stage.zeroPoints = groups->getZeroPoints(stage.values, stage.tile, number);
  stage.fragment = prepareFragment(loaded, stage.zeroPoints);
}

/// The values that the loop over stages carries, with the sum before the stage.
SmallVector<Value> WgmmaConsumer::GroupStage::carry(Value total) const {
  SmallVector<Value> carried{total, state, read, fragment};
  if (zeroPoints)
    carried.push_back(zeroPoints);
  llvm::append_range(carried, values);
  return carried;
}

/// Takes what is carried to the stage of `newTile`; returns the sum.
Value WgmmaConsumer::GroupStage::adopt(Value newTile, ValueRange carried) {
  tile = newTile;
  state = carried[1];
  read = carried[2];
  fragment = carried[3];
  if (zeroPoints)
    zeroPoints = carried[4];
  values.assign(carried.begin() + (zeroPoints ? 5 : 4), carried.end());
  return carried[0];
}

/// All of a tile's products with scales of groups. The last stage is peeled: no
/// other one is behind it.
Value WgmmaConsumer::multiplyGroups(const WgmmaPlace &place, Value &state) {
  auto &b = p.b();
  AccType sumType = context.getInstructionAcc(/*inFlight=*/false);
  GroupStage stage;
  stage.state = state;
  stage.tile = place.firstK;
  stage.values = groups->start(getOwn(place));
  stage.read = waitFor(state);
  startGroup(stage, 0);
  Value none = b.create<AccZeroOp>(sumType);
  Value last = p.sub(place.endK, p.i32(1));
  auto multiply = [&](Value total, bool isLast) {
    for (int64_t number = 0; number < groups->getParts(); ++number)
      total = multiplyGroup(stage, number, total, isLast);
    return total;
  };
  auto loop = b.create<scf::ForOp>(place.firstK, last, p.i32(1),
                                   stage.carry(p.extend(none)));
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value total = stage.adopt(loop.getInductionVar(), loop.getRegionIterArgs());
    total = multiply(total, /*isLast=*/false);
    b.create<scf::YieldOp>(stage.carry(total));
  }
  Value total = multiply(stage.adopt(last, loop.getResults()), /*isLast=*/true);
  state = stages.advance(stage.state);
  return total;
}

/// All of a tile's products. The first stage is peeled: it starts from nothing.
/// One stage's products stay in flight; it is released an iteration later.
Value WgmmaConsumer::multiplyTile(const WgmmaPlace &place, Value &state) {
  auto &b = p.b();
  AccType sumType = context.getInstructionAcc(/*inFlight=*/false);
  Value none = b.create<AccZeroOp>(sumType);
  Value read = waitFor(state, place, place.firstK);
  Value acc = multiply(state, read, none, /*isNew=*/true);
  auto loop =
      b.create<scf::ForOp>(p.add(place.firstK, p.i32(1)), place.endK, p.i32(1),
                           ValueRange{acc, read, stages.advance(state)});
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value before = loop.getRegionIterArg(1), at = loop.getRegionIterArg(2);
    Value current = waitFor(at, place, loop.getInductionVar());
    Value sum = multiply(at, current, loop.getRegionIterArg(0),
                         /*isNew=*/false, [&] { release(before); });
    b.create<scf::YieldOp>(ValueRange{sum, current, stages.advance(at)});
  }
  state = loop.getResult(2);
  Value sum = await(loop.getResult(0), 0);
  release(loop.getResult(1));
  return p.extend(sum);
}

Value WgmmaConsumer::sumParts(Value acc) {
  auto &b = p.b();
  int64_t parts = context.getParts();
  if (parts == 1)
    return acc;
  if (stores())
    return b.create<AccReceiveOp>(acc.getType(), acc, parts);
  b.create<AccSendOp>(acc, part, parts);
  return {};
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
  else if (c.splitK == 1 && stores())
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
  acc = sumParts(p.removeScale(acc));
  if (!acc)
    return {state};
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
    groups.emplace(context, part);
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
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  SmallVector<Value> starts{start};
  if (inputs)
    starts.push_back(inputs->start());
  tiles.forEach(from, by, starts,
                [&](const WgmmaPlace &place, ValueRange carried) {
                  return consumeTile(place, carried);
                });
  if (c.epilogue == EpilogueKind::Tma && c.splitK == 1 && stores())
    b.create<TmaAwaitOp>();
}
