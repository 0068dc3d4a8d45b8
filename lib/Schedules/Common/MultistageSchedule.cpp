//===- MultistageSchedule.cpp - Programs with a ring of copies ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread copies with cp.async into a ring of stages, and every warp or
// thread reads fragments from it. One barrier in each iteration publishes the
// next stage and frees the last one. The loads of the next k-step's fragments,
// also across the stage boundary, overlap the products of the current one. The
// copies of a new stage are spread over the k-steps. The residue of K is in the
// first stage, so that the loop has no special case.
//
// A persistent CTA does this for one tile after the other. It starts the copies
// of the next tile before the epilogue.
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageSchedule.h"
#include "Common/GroupScales.h"
#include "Common/MultistageCopies.h"
#include "Common/MultistageFactors.h"
#include "Common/Programs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// Orders copies, loads of fragments and products.
class MultistageSchedule {
public:
  MultistageSchedule(ProgramBuilder &p, const KernelConfig &config,
                     MultistageWorker &worker)
      : p(p), c(config), worker(worker), copies(p, config, worker),
        factorsOf(p, config, worker, copies), groups(p, config, worker) {}
  void build();

private:
  /// The first row and column of the worker's sums.
  std::pair<Value, Value> locateSums() {
    return {p.add(place.m, worker.getOffset(0)),
            p.add(place.n, worker.getOffset(1))};
  }
  void prefetchInputs();
  void prologue();
  void copyFirstStages(Value exists);
  void startTile();
  void advance(Value by);
  void mainLoop();
  void loopOver(Value first, Value end);
  void loopWithOneStage();
  void multiplyTile(Value tile, Value state, Value valid);
  void drain(ArrayRef<Value> tokens, bool ordered);
  SmallVector<Value> iteration(Value tile);
  /// Adds the products of a k-step of k-tile `tile` to `sum`, those of a group
  /// to `part` first.
  void multiply(Value tile, int64_t step);
  /// K-steps that fragments are loaded ahead of their product.
  int64_t getAhead() const { return c.fragmentBuffers - 1; }
  void finishTile();
  void placeAt(const MultistagePlace &newPlace);
  void loopOverTiles();
  SmallVector<Value> carryTile() const;
  void takeTile(ValueRange values);
  SmallVector<Value> computeTile(Value next, Value end);

  ProgramBuilder &p;
  const KernelConfig &c;
  MultistageWorker &worker;
  MultistageCopies copies;
  MultistageFactors factorsOf;
  MultistageGroups groups;
  MultistagePlace place;
  Value acc, part;                // `part` is the sum of a group.
  std::pair<Value, Value> origin; // of the sums
  // The values that the loop carries besides accumulator and addresses.
  Value readState, writeState, readToken;
  SmallVector<Value> inFlight, fragments;
  SmallVector<Value> scales; // of the k-tile
  /// The k-tiles of the loop that is written may have elements beyond K, which
  /// products replace.
  bool hasResidue = false;
};

} // namespace

/// Fetches what the epilogue reads, such as C, into the L2 cache while the
/// products run. With few k-tiles its loads from DRAM would otherwise take as
/// long as these. The first copies go before it.
void MultistageSchedule::prefetchInputs() {
  if (c.splitK == 1 && !c.earlyInputs)
    buildPrefetch(p, c.cta[0], c.cta[1], place.batch, place.m, place.n,
                  /*staged=*/{}, /*vectors=*/false);
}

/// Starts the ring and the copies of the only tile.
void MultistageSchedule::prologue() {
  auto &b = p.b();
  copies.createRing();
  acc = b.create<AccZeroOp>(worker.getAccType());
  readState = copies.getStart();
  writeState = readState;
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  scales = groups.load(place.firstTile);
  copyFirstStages(/*exists=*/{});
  prefetchInputs();
  startTile();
}

/// Fills all stages except one, from `writeState` on, if the tile exists.
void MultistageSchedule::copyFirstStages(Value exists) {
  for (int64_t s = 0; s < c.stages - 1; ++s) {
    Value present = p.cmp(arith::CmpIPredicate::slt,
                          p.add(place.firstTile, p.i32(s)), place.endTile);
    if (exists)
      present = p.bitAnd(present, exists);
    inFlight.push_back(
        copies.copyStage(writeState, s ? Value() : place.firstValid, present));
    advance(s ? p.i32(c.cta[2]) : place.firstValid);
    writeState = copies.getNext(writeState);
  }
}

/// Waits for the first stage and loads its first fragments.
void MultistageSchedule::startTile() {
  if (c.earlyInputs)
    origin = locateSums();
  readToken = copies.waitFor(readState, inFlight.front());
  inFlight.erase(inFlight.begin());
  for (int64_t step = 0; step < getAhead(); ++step)
    llvm::append_range(fragments, copies.loadFragments(readState, readToken,
                                                       step, place.firstTile));
}

void MultistageSchedule::advance(Value by) {
  SmallVector<Value> addresses = copies.getNextAddresses(by);
  ValueRange values = addresses;
  copies.takeAddresses(values);
}

void MultistageSchedule::multiply(Value tile, int64_t step) {
  auto &b = p.b();
  bool areScaled = groups.exist();
  int64_t steps = groups.getSteps();
  int64_t group = areScaled ? step / steps : 0;
  if (areScaled && step % steps == 0)
    part = b.create<AccZeroOp>(worker.getAccType());
  Value zeroPoints = areScaled ? groups.getZeroPoints(scales, group) : Value();
  std::array<Value, 2> factors;
  for (unsigned operand : {0, 1})
    factors[operand] =
        factorsOf.get(operand, fragments[operand], tile, step, hasResidue);
  Value &sum = areScaled ? part : acc;
  sum = b.create<MmaOp>(sum.getType(), factors[0], factors[1], sum, zeroPoints,
                        /*a_transposed=*/false, /*b_transposed=*/false,
                        worker.getShape());
  fragments.erase(fragments.begin(), fragments.begin() + 2);
  if (areScaled && (step + 1) % steps == 0)
    acc = groups.addScaled(acc, part, scales, tile, group);
}

/// Writes one k-tile: see the head of the file. Returns the values that the
/// loop yields.
///
/// Fragments are loaded `ahead` k-steps before their product. The turn-over
/// (wait and barrier) is immediately before the first load from the next stage,
/// after all loads from this one; the copies precede it.
SmallVector<Value> MultistageSchedule::iteration(Value tile) {
  auto &b = p.b();
  int64_t steps = worker.getKSteps(), ahead = getAhead();
  int64_t turnOver = ahead ? steps - ahead : steps - 1;
  int64_t parts = c.spreadCopies && turnOver > 1 ? turnOver : 1;
  Value incoming = p.add(tile, p.i32(c.stages - 1));
  Value present = p.cmp(arith::CmpIPredicate::slt, incoming, place.endTile);
  bool hasCopies = copies.refills();
  Value write = copies.acquire(writeState);
  // The scales of the next tile arrive while this one is multiplied.
  Value next = p.add(tile, p.i32(1));
  SmallVector<Value> nextScales = groups.load(next);
  Value state = readState, current = readToken;
  auto copyNext = [&](int64_t part) {
    if (hasCopies) {
      auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard scope(b);
      b.setInsertionPointToStart(guard.thenBlock());
      copies.copyPart(writeState, write, Value(), part, parts);
    }
    if (part + 1 == parts)
      inFlight.push_back(copies.commit(write));
  };
  auto goToNextStage = [&] {
    b.create<RingReleaseOp>(copies.getRing(), current, 1);
    state = copies.getNext(readState);
    current = copies.waitFor(state, inFlight.front());
    inFlight.erase(inFlight.begin());
  };
  for (int64_t step = 0; step < steps; ++step) {
    if (!ahead)
      fragments = copies.loadFragments(state, current, step, tile);
    // The turn-over waits for the copies. Elsewhere the loads may go first:
    // ptxas does not move them over copies, which write shared memory too, and
    // so behind the copies' address arithmetic.
    bool turns = step == turnOver, hasPart = step < parts;
    bool copiesLast = hasPart && !turns && c.loadsFirst;
    if (hasPart && !copiesLast)
      copyNext(step);
    if (turns)
      goToNextStage();
    if (ahead)
      llvm::append_range(fragments, copies.loadFragments(
                                        state, current, (step + ahead) % steps,
                                        step + ahead < steps ? tile : next));
    if (copiesLast)
      copyNext(step);
    multiply(tile, step);
  }
  SmallVector<Value> yielded{acc, current, state, copies.getNext(writeState)};
  llvm::append_range(yielded, copies.getNextAddresses(p.i32(c.cta[2])));
  llvm::append_range(yielded, inFlight);
  llvm::append_range(yielded, fragments);
  llvm::append_range(yielded, nextScales);
  return yielded;
}

void MultistageSchedule::mainLoop() {
  Value first = place.firstTile;
  if (hasResidue) {
    // Only the first k-tile may have elements beyond K. A loop of its own keeps
    // their replacement out of the other products.
    Value second = p.add(first, p.i32(1));
    loopOver(first, p.minS(second, place.endTile));
    hasResidue = false;
    first = second;
  }
  loopOver(first, place.endTile);
  // If no fragments are loaded ahead, the barrier of the last turn-over follows
  // all reads.
  SmallVector<Value> left{readToken};
  llvm::append_range(left, inFlight);
  drain(left, /*ordered=*/getAhead() == 0);
}

/// Writes the loop over the k-tiles from `first` to before `end`.
void MultistageSchedule::loopOver(Value first, Value end) {
  auto &b = p.b();
  SmallVector<Value> initial{acc, readToken, readState, writeState};
  llvm::append_range(initial, copies.getAddresses());
  llvm::append_range(initial, inFlight);
  llvm::append_range(initial, fragments);
  llvm::append_range(initial, scales);
  unsigned numInFlight = inFlight.size(), numFragments = fragments.size();
  auto unpack = [&](ValueRange values) {
    acc = values[0], readToken = values[1], readState = values[2],
    writeState = values[3];
    values = values.drop_front(4);
    copies.takeAddresses(values);
    inFlight.assign(values.begin(), values.begin() + numInFlight);
    values = values.drop_front(numInFlight);
    fragments.assign(values.begin(), values.begin() + numFragments);
    scales.assign(values.begin() + numFragments, values.end());
  };
  auto loop = b.create<scf::ForOp>(first, end, p.i32(1), initial);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  unpack(loop.getRegionIterArgs());
  b.create<scf::YieldOp>(iteration(loop.getInductionVar()));
  unpack(loop.getResults());
}

/// Ends the loop over k-tiles. All copies have completed: each was waited for
/// before its tile was read, and there are none beyond the last tile. `ordered`
/// states that a barrier has followed all reads.
void MultistageSchedule::drain(ArrayRef<Value> tokens, bool ordered) {
  auto &b = p.b();
  // Dependent grids that start now use the resources of CTAs that have ended,
  // because all CTAs of this grid have started by then. Persistent CTAs do not
  // end here.
  if (c.waitsForGrids() && !c.persistent)
    b.create<GridLaunchDependentsOp>();
  bool isReused = c.persistent || worker.getPartsOfK() > 1 ||
                  (c.splitK == 1 && c.epilogue == EpilogueKind::Staged);
  b.create<RingDrainOp>(copies.getRing(), tokens, /*landed=*/true,
                        /*ordered=*/!isReused || ordered);
}

/// Writes the loop over the k-tiles with a ring of one stage. A barrier in
/// `acquire` separates the reads of a tile from the copies of the next one, so
/// that no copy overlaps a product of its CTA: other CTAs fill the time.
void MultistageSchedule::loopWithOneStage() {
  auto &b = p.b();
  copies.createRing();
  acc = b.create<AccZeroOp>(worker.getAccType());
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  prefetchInputs();
  // The first tile of K has the residue.
  SmallVector<Value> initial{acc, copies.getStart(), place.firstValid};
  llvm::append_range(initial, copies.getAddresses());
  auto loop =
      b.create<scf::ForOp>(place.firstTile, place.endTile, p.i32(1), initial);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange values = loop.getRegionIterArgs();
    acc = values[0];
    Value state = values[1], valid = values[2];
    values = values.drop_front(3);
    copies.takeAddresses(values);
    multiplyTile(loop.getInductionVar(), state, valid);
    SmallVector<Value> yielded{acc, copies.getNext(state), p.i32(c.cta[2])};
    llvm::append_range(yielded, copies.getNextAddresses(valid));
    b.create<scf::YieldOp>(yielded);
  }
  acc = loop.getResult(0);
  drain({}, /*ordered=*/false);
}

/// Copies a k-tile, of which `valid` elements exist along k, to the only stage
/// and multiplies it.
void MultistageSchedule::multiplyTile(Value tile, Value state, Value valid) {
  auto &b = p.b();
  int64_t steps = worker.getKSteps(), ahead = getAhead();
  Value write = copies.acquire(state);
  copies.copyPart(state, write, valid, 0, 1);
  Value read = copies.waitFor(state, copies.commit(write));
  auto load = [&](int64_t step) {
    if (step < steps)
      llvm::append_range(fragments,
                         copies.loadFragments(state, read, step, tile));
  };
  for (int64_t step = 0; step < ahead; ++step)
    load(step);
  for (int64_t step = 0; step < steps; ++step) {
    load(step + ahead);
    multiply(tile, step);
  }
  b.create<RingReleaseOp>(copies.getRing(), read, 1);
}

/// Sums over the parts that split k, then stores.
void MultistageSchedule::finishTile() {
  auto &b = p.b();
  acc = p.removeScale(p.extend(acc));
  std::optional<scf::IfOp> guard;
  if (int64_t parts = worker.getPartsOfK(); parts > 1) {
    Value part = worker.getPartOfK();
    acc = b.create<AccReduceOp>(acc.getType(), copies.getRing(), acc, part,
                                parts);
    Value isFirst = p.cmp(arith::CmpIPredicate::eq, part, p.i32(0));
    guard = b.create<scf::IfOp>(isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard->thenBlock());
  }
  if (!c.earlyInputs)
    origin = locateSums();
  auto [m, n] = origin;
  StoreInfo store;
  store.kind = c.epilogue;
  store.early = c.earlyInputs;
  store.streaming = c.streamEpilogue;
  if (c.splitK == 1)
    buildEpilogue(p, acc, place.batch, m, n, store);
  else
    buildPartialStore(p, acc, place.slice, place.batch, m, n, store);
  if (guard)
    b.setInsertionPointAfter(*guard);
}

void MultistageSchedule::placeAt(const MultistagePlace &newPlace) {
  place = newPlace;
  copies.start(place);
}

/// The values of a tile whose first copies are in flight: its place, the
/// addresses of its next copies, and these copies.
SmallVector<Value> MultistageSchedule::carryTile() const {
  SmallVector<Value> values{place.batch, place.m, place.n};
  if (copies.findKept())
    values.push_back(place.isNew);
  llvm::append_range(values, copies.getAddresses());
  llvm::append_range(values, inFlight);
  return values;
}

void MultistageSchedule::takeTile(ValueRange values) {
  MultistagePlace taken;
  taken.batch = values[0], taken.m = values[1], taken.n = values[2];
  taken.slice = p.i32(0);
  values = values.drop_front(3);
  if (copies.findKept()) {
    taken.isNew = values.front();
    values = values.drop_front();
  }
  placeAt(taken);
  copies.takeAddresses(values);
  inFlight.assign(values.begin(), values.end());
  groups.start(place, p.ceilDiv(p.depth(c), c.cta[2]));
}

/// Multiplies the tile whose first copies are in flight. Returns the values of
/// the CTA's tile number `next`, if it is before `end`. Its first copies are in
/// flight when this tile's results are stored.
SmallVector<Value> MultistageSchedule::computeTile(Value next, Value end) {
  auto &b = p.b();
  acc = b.create<AccZeroOp>(worker.getAccType());
  readState = copies.getStart();
  writeState = copies.getStart(c.stages - 1);
  scales = groups.load(place.firstTile);
  prefetchInputs();
  startTile();
  mainLoop();
  MultistagePlace own = place;
  // Behind the last tile this is a tile whose copies are left out.
  Value exists = p.lessU(next, end);
  MultistagePlace following =
      locateTile(p, c, worker, p.minU(next, p.sub(end, p.i32(1))));
  if (std::optional<unsigned> kept = copies.findKept())
    following.isNew = copies.mustCopy(*kept, own, following);
  placeAt(following);
  writeState = copies.getStart();
  inFlight.clear();
  copyFirstStages(exists);
  SmallVector<Value> carried = carryTile();
  place = own;
  finishTile();
  return carried;
}

/// Writes the loop over the tiles of a persistent CTA. The first copies of a
/// tile start before the results of the one before it are stored.
void MultistageSchedule::loopOverTiles() {
  auto &b = p.b();
  auto [first, end, step] = chooseTiles(p, c);
  MultistagePlace start = locateTile(p, c, worker, first);
  if (copies.findKept())
    start.isNew = b.create<arith::ConstantOp>(b.getBoolAttr(true));
  placeAt(start);
  copies.createRing();
  writeState = copies.getStart();
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  copyFirstStages(/*exists=*/{});
  auto loop = b.create<scf::ForOp>(first, end, step, carryTile());
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    takeTile(loop.getRegionIterArgs());
    Value next = p.add(loop.getInductionVar(), step);
    b.create<scf::YieldOp>(computeTile(next, end));
  }
  // Behind the last tile there are no copies.
  b.create<RingDrainOp>(copies.getRing(),
                        loop.getResults().take_back(inFlight.size()),
                        /*landed=*/true, /*ordered=*/true);
  if (c.waitsForGrids())
    b.create<GridLaunchDependentsOp>();
}

void MultistageSchedule::build() {
  hasResidue = factorsOf.replacesResidue();
  if (c.persistent) {
    worker.locate();
    loopOverTiles();
    return;
  }
  place = locateTile(p, c, worker, p.blockId());
  worker.locate();
  copies.start(place);
  groups.start(place, p.ceilDiv(p.depth(c), c.cta[2]));
  if (c.stages == 1) {
    loopWithOneStage();
  } else {
    prologue();
    mainLoop();
  }
  finishTile();
}

void tcgemm::buildMultistage(ProgramBuilder &p, const KernelConfig &config,
                             MultistageWorker &worker) {
  MultistageSchedule(p, config, worker).build();
}
