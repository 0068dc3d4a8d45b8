//===- MultistageSchedule.cpp - Programs with a ring of copies ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread copies with cp.async into a ring of stages and every warp or
// thread reads fragments from it. One barrier an iteration publishes the next
// stage and frees the last one. The loads of the next k-step's fragments,
// across the stage boundary too, overlap the products of this one; the copies
// of the stage that comes in last are spread over the k-steps. The residue of K
// is in the first stage, so that the loop has no special case.
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageSchedule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

/// Where the CTA and its warp or thread are in the output.
void MultistageSchedule::locate() {
  Value tilesM = p.ceilDiv(p.size("M"), c.cta[0]);
  Value tilesN = p.ceilDiv(p.size("N"), c.cta[1]);
  RasterOp raster = buildRaster(p, c, p.blockId(), tilesM, tilesN);
  batch = raster.getBatch();
  slice = raster.getSlice();
  m0 = p.mul(raster.getM(), p.i32(c.cta[0]));
  n0 = p.mul(raster.getN(), p.i32(c.cta[1]));
  locateWorker();
}

/// K as the copies see it. A static K that their width does not divide reaches
/// this program only through packed operands, which are padded with zeros.
Value MultistageSchedule::depth() {
  int64_t k = p.getKernel().getK(), vector = 1;
  for (unsigned operand : {0, 1})
    if (LoaderType type = getLoaderType(operand); type.getKContiguous())
      vector = std::max(vector, type.getVector());
  return ShapedType::isDynamic(k) ? p.size("K")
                                  : p.i32(llvm::alignTo(k, vector));
}

/// Whether a slice may have more k-tiles than the prologue copies.
bool MultistageSchedule::refills() const {
  int64_t k = p.getKernel().getK();
  return ShapedType::isDynamic(k) ||
         llvm::divideCeil(llvm::divideCeil(k, c.cta[2]), c.splitK) >=
             uint64_t(c.stages);
}

/// The k-tiles of this slice, [firstTile, endTile), and how much of the first
/// one there is: tile 0 holds K's residue, all others are whole.
void MultistageSchedule::chooseSlice() {
  Value k = depth();
  Value tiles = p.ceilDiv(k, c.cta[2]);
  firstTile = p.i32(0);
  endTile = tiles;
  if (c.splitK > 1) {
    auto bound = [&](Value s) {
      return p.divU(p.mul(s, tiles), p.i32(c.splitK));
    };
    firstTile = bound(slice);
    endTile = bound(p.add(slice, p.i32(1)));
  }
  Value residue = p.sub(k, p.mul(p.sub(tiles, p.i32(1)), p.i32(c.cta[2])));
  Value isFirst = p.cmp(arith::CmpIPredicate::eq, firstTile, p.i32(0));
  firstValid = p.select(isFirst, residue, p.i32(c.cta[2]));
  Value later = p.sub(k, p.mul(p.sub(tiles, firstTile), p.i32(c.cta[2])));
  Value start = p.select(isFirst, p.i32(0), later);
  for (unsigned operand : {0, 1}) {
    Value offset = p.mul(p.ext(batch), p.stride(operand, 'b'));
    streams[operand].address = p.b().create<LoaderStartOp>(
        p.b().getI64Type(), streams[operand].loader, offset, start);
  }
}

void MultistageSchedule::makeStream(unsigned operand, Value origin,
                                    Value extent) {
  auto &b = p.b();
  bool kContiguous = isKContiguous(p.getKernel(), operand);
  LoaderType type = getLoaderType(operand);
  // The stride across the contiguous direction.
  Value stride = p.stride(operand, kContiguous ? (operand ? 'n' : 'm') : 'k');
  // All tiles but the first start K less whole tiles behind the row's start,
  // and whole tiles are whole sectors. The base counts as aligned to a sector:
  // where it is not, this is slower and as right.
  Value phase;
  if (type.getTile().getSwizzle() == Swizzle::Sectors)
    phase = p.add(p.ext(depth()), p.mul(p.ext(batch), p.stride(operand, 'b')));
  streams[operand].loader = b.create<LoaderCreateOp>(
      type, p.pointer(operand), stride, origin, extent, phase);
  streams[operand].transposed = !kContiguous || type.getTransposed();
}

void MultistageSchedule::copyPart(Value state, Value write, Value kValid,
                                  int64_t part, int64_t parts) {
  for (unsigned operand : {0, 1})
    p.b().create<LoaderCopyOp>(streams[operand].loader,
                               streams[operand].address, ring, state, write,
                               kValid, operand, part, parts);
}

/// Copies a whole stage if `present`; the group exists in any case.
Value MultistageSchedule::copyStage(Value state, Value kValid, Value present) {
  auto &b = p.b();
  Value write = b.create<RingAcquireOp>(token(TokenKind::Write), ring, state);
  auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    copyPart(state, write, kValid, 0, 1);
  }
  return b.create<RingCommitOp>(token(TokenKind::InFlight), ring, write)
      .getInFlight();
}

Value MultistageSchedule::waitFor(Value state, Value group) {
  return p.b().create<RingWaitOp>(token(TokenKind::Read), ring, state, group,
                                  std::max<int64_t>(0, c.stages - 2));
}

SmallVector<Value> MultistageSchedule::loadFragments(Value state, Value read,
                                                     int64_t step) {
  auto &b = p.b();
  SmallVector<Value> loaded;
  for (unsigned operand : {0, 1}) {
    const Stream &stream = streams[operand];
    auto tile = cast<LoaderType>(stream.loader.getType()).getTile();
    loaded.push_back(b.create<FragmentLoadOp>(
        getFragmentType(operand), ring, state, read, worker[operand],
        c.warps[2] > 1 ? warpK : Value(), operand, step, stream.transposed,
        c.warps[2],
        tile.getSwizzle() == Swizzle::Sectors ? stream.loader : Value()));
  }
  return loaded;
}

/// Fills all stages but one.
void MultistageSchedule::prologue() {
  auto &b = p.b();
  SmallVector<TileType> tiles;
  for (const Stream &stream : streams)
    tiles.push_back(cast<LoaderType>(stream.loader.getType()).getTile());
  auto type = RingType::get(b.getContext(), c.stages, RingKind::CpAsync, tiles);
  ring = b.create<RingCreateOp>(type, 1, 1);
  acc = b.create<AccZeroOp>(getAccType());
  readState =
      b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, 0);
  writeState = readState;
  if (c.dependentLaunch)
    b.create<GridWaitOp>();
  for (int64_t s = 0; s < c.stages - 1; ++s) {
    Value present =
        p.cmp(arith::CmpIPredicate::slt, p.add(firstTile, p.i32(s)), endTile);
    inFlight.push_back(
        copyStage(writeState, s ? Value() : firstValid, present));
    Value by = s ? p.i32(c.cta[2]) : firstValid;
    for (Stream &stream : streams)
      stream.address = b.create<LoaderAdvanceOp>(b.getI64Type(), stream.loader,
                                                 stream.address, by);
    writeState = advance(writeState);
  }
  readToken = waitFor(readState, inFlight.front());
  inFlight.erase(inFlight.begin());
  for (int64_t step = 0; step < getAhead(); ++step)
    llvm::append_range(fragments, loadFragments(readState, readToken, step));
}

/// One k-tile: see the head of the file. Returns what the loop yields.
///
/// Fragments are loaded `ahead` k-steps before their product. The turn-over
/// (wait and barrier) stands right before the first load from the next stage,
/// when all loads from this one are done; the copies come before it.
SmallVector<Value> MultistageSchedule::iteration(Value tile) {
  auto &b = p.b();
  int64_t steps = getKSteps(), ahead = getAhead();
  int64_t turnOver = ahead ? steps - ahead : steps - 1;
  int64_t parts = c.spreadCopies && turnOver > 1 ? turnOver : 1;
  Value incoming = p.add(tile, p.i32(c.stages - 1));
  Value present = p.cmp(arith::CmpIPredicate::slt, incoming, endTile);
  bool hasCopies = refills();
  Value write =
      b.create<RingAcquireOp>(token(TokenKind::Write), ring, writeState);
  Value state = readState, current = readToken;
  auto copyNext = [&](int64_t part) {
    if (hasCopies) {
      auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard scope(b);
      b.setInsertionPointToStart(guard.thenBlock());
      copyPart(writeState, write, Value(), part, parts);
    }
    if (part + 1 == parts)
      inFlight.push_back(
          b.create<RingCommitOp>(token(TokenKind::InFlight), ring, write)
              .getInFlight());
  };
  auto goToNextStage = [&] {
    b.create<RingReleaseOp>(ring, current, 1);
    state = advance(readState);
    current = waitFor(state, inFlight.front());
    inFlight.erase(inFlight.begin());
  };
  for (int64_t step = 0; step < steps; ++step) {
    if (!ahead)
      fragments = loadFragments(state, current, step);
    // The turn-over waits for the copies. Elsewhere the loads may go first:
    // ptxas does not move them over copies, which write shared memory too, and
    // so behind the copies' address arithmetic.
    bool turns = step == turnOver, copies = step < parts;
    bool copiesLast = copies && !turns && c.loadsFirst;
    if (copies && !copiesLast)
      copyNext(step);
    if (turns)
      goToNextStage();
    if (ahead)
      llvm::append_range(fragments,
                         loadFragments(state, current, (step + ahead) % steps));
    if (copiesLast)
      copyNext(step);
    acc = b.create<MmaOp>(acc.getType(), fragments[0], fragments[1], acc);
    fragments.erase(fragments.begin(), fragments.begin() + 2);
  }
  SmallVector<Value> yielded{acc, current, state, advance(writeState)};
  for (Stream &stream : streams)
    yielded.push_back(b.create<LoaderAdvanceOp>(
        b.getI64Type(), stream.loader, stream.address, p.i32(c.cta[2])));
  llvm::append_range(yielded, inFlight);
  llvm::append_range(yielded, fragments);
  return yielded;
}

void MultistageSchedule::mainLoop() {
  auto &b = p.b();
  SmallVector<Value> initial{
      acc,        readToken,          readState,
      writeState, streams[0].address, streams[1].address};
  llvm::append_range(initial, inFlight);
  llvm::append_range(initial, fragments);
  unsigned groups = inFlight.size();
  auto unpack = [&](ValueRange values) {
    acc = values[0], readToken = values[1], readState = values[2],
    writeState = values[3];
    streams[0].address = values[4], streams[1].address = values[5];
    inFlight.assign(values.begin() + 6, values.begin() + 6 + groups);
    fragments.assign(values.begin() + 6 + groups, values.end());
  };
  auto loop = b.create<scf::ForOp>(firstTile, endTile, p.i32(1), initial);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    unpack(loop.getRegionIterArgs());
    b.create<scf::YieldOp>(iteration(loop.getInductionVar()));
  }
  unpack(loop.getResults());
  // What starts now takes the room of CTAs that end: all of these run by then.
  if (c.dependentLaunch)
    b.create<GridLaunchDependentsOp>();
  SmallVector<Value> left{readToken};
  llvm::append_range(left, inFlight);
  // Each copy was waited for before its tile was read, and none is of a tile
  // past the last one. Without fragments loaded ahead, which the last turn-over
  // loads behind its barrier, that barrier is behind all reads.
  bool isReused =
      c.warps[2] > 1 || (c.splitK == 1 && c.epilogue == EpilogueKind::Staged);
  b.create<RingDrainOp>(ring, left, /*landed=*/true,
                        /*ordered=*/!isReused || getAhead() == 0);
}

/// Joins the warps that split k, then stores.
void MultistageSchedule::finishTile() {
  auto &b = p.b();
  std::optional<scf::IfOp> guard;
  if (c.warps[2] > 1) {
    acc = b.create<AccReduceOp>(acc.getType(), ring, acc, warpK, c.warps[2]);
    Value isFirst = p.cmp(arith::CmpIPredicate::eq, warpK, p.i32(0));
    guard = b.create<scf::IfOp>(isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard->thenBlock());
  }
  Value m = p.add(m0, getWorkerOffset(0)), n = p.add(n0, getWorkerOffset(1));
  StoreInfo store;
  store.kind = c.epilogue;
  if (c.splitK == 1)
    buildEpilogue(p, acc, batch, m, n, store);
  else
    buildPartialStore(p, acc, slice, batch, m, n, store);
  if (guard)
    b.setInsertionPointAfter(*guard);
}

void MultistageSchedule::build() {
  locate();
  makeStream(0, m0, p.size("M"));
  makeStream(1, n0, p.size("N"));
  chooseSlice();
  prologue();
  mainLoop();
  finishTile();
}
