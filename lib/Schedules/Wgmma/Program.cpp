//===- Program.cpp - The warp-specialised wgmma program -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first warpgroup fills a ring of stages (ScheduleWgmmaProducer.cpp); the
// others multiply, each a block of rows of the tile, or take turns with tiles
// of their own. All go through the same list of tiles. What lies beyond K, M or
// N comes as zeros, so no size is special here.
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Program.h"
#include "Common/Programs.h"
#include "Wgmma/Family.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Wgmma.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

WgmmaSchedule::Place WgmmaSchedule::locate(Value tile) {
  // A launch's first copy waits for the raster's divisions.
  std::pair<int64_t, int64_t> clusterTile{c.cta[0] * c.wgmma.cluster[0],
                                          c.cta[1] * c.wgmma.cluster[1]};
  RasterOp raster = buildRaster(p, c, tile, tilesM, tilesN, clusterTile);
  // The raster is of clusters.
  auto origin = [&](Value index, unsigned side) {
    Value start = p.mul(index, p.i32(c.cta[side] * c.wgmma.cluster[side]));
    return c.wgmma.cluster[side] == 1
               ? start
               : p.add(start, p.mul(getRank(side), p.i32(c.cta[side])));
  };
  Place place;
  place.batch = raster.getBatch();
  place.slice = raster.getSlice();
  place.m = origin(raster.getM(), 0);
  place.n = origin(raster.getN(), 1);
  place.firstK = p.i32(0);
  place.endK = tilesK;
  if (int64_t slices = c.splitK * c.wgmma.cluster[2]; slices > 1) {
    auto bound = [&](Value s) {
      return p.divU(p.mul(s, tilesK), p.i32(slices));
    };
    Value slice = c.splitK > 1 ? place.slice : getRank(2);
    place.firstK = bound(slice);
    place.endK = bound(p.add(slice, p.i32(1)));
  }
  return place;
}

SmallVector<Value> WgmmaSchedule::forEachTile(Value from, Value by,
                                              ValueRange carried,
                                              TileBody body) {
  if (!c.wgmma.persistent)
    return body(onlyTile, carried);
  auto &b = p.b();
  auto loop = b.create<scf::ForOp>(from, numTiles, by, carried);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(locate(loop.getInductionVar()), loop.getRegionIterArgs());
  b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// The products of one stage.
Value WgmmaSchedule::multiply(Value state, Value read, Value acc, bool isNew) {
  auto &b = p.b();
  Value row;
  int64_t share = c.getRowSide() / c.getSharers();
  if (c.getSharers() > 1)
    row = p.mul(group, p.i32(share));
  for (int64_t part = 0; part < getParts(); ++part) {
    Value accumulate;
    if (isNew && part == 0)
      accumulate = b.create<arith::ConstantIntOp>(0, 1);
    acc = b.create<MmaAsyncOp>(getAcc(/*inFlight=*/true), ring, state, read,
                               acc, row, accumulate, 2 * part, 2 * part + 1,
                               rows.transposed, columns.transposed);
  }
  return acc;
}

/// All of a tile's products. The first stage is peeled: it starts from nothing.
/// One stage's products stay in flight; it is released an iteration later.
Value WgmmaSchedule::multiplyTile(const Place &place, Value &state) {
  auto &b = p.b();
  auto waitFor = [&](Value at) -> Value {
    return b.create<RingWaitOp>(token(TokenKind::Read), ring, at, Value(), 0);
  };
  auto release = [&](Value read) {
    b.create<RingReleaseOp>(ring, read, getArrivals(),
                            getMulticast() > 1 ? getMulticast() : 0);
  };
  Value none = b.create<AccZeroOp>(getAcc(/*inFlight=*/false));
  Value read = waitFor(state);
  Value acc = multiply(state, read, none, /*isNew=*/true);
  auto loop =
      b.create<scf::ForOp>(p.add(place.firstK, p.i32(1)), place.endK, p.i32(1),
                           ValueRange{acc, read, advance(state)});
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    Value before = loop.getRegionIterArg(1), at = loop.getRegionIterArg(2);
    Value current = waitFor(at);
    Value sum = multiply(at, current, loop.getRegionIterArg(0),
                         /*isNew=*/false);
    sum = b.create<MmaAwaitOp>(sum.getType(), sum, getPending());
    release(before);
    b.create<scf::YieldOp>(ValueRange{sum, current, advance(at)});
  }
  state = loop.getResult(2);
  Value sum =
      b.create<MmaAwaitOp>(getAcc(/*inFlight=*/false), loop.getResult(0), 0);
  release(loop.getResult(1));
  return sum;
}

/// Where what the running warpgroup stores of a tile starts.
WgmmaSchedule::Place WgmmaSchedule::getShare(Place place) {
  if (c.getSharers() > 1) {
    Value &origin = c.swapAB ? place.n : place.m;
    origin =
        p.add(origin, p.mul(group, p.i32(c.getRowSide() / c.getSharers())));
  }
  if (c.getSumParts() > 1) {
    Value &origin = c.swapAB ? place.m : place.n;
    origin =
        p.add(origin, p.mul(getRank(2), p.i32(getStoredAcc().getColumns())));
  }
  return place;
}

/// Adds up what the cluster's CTAs have of their slices of k, and stores this
/// one's part of that, `own`.
void WgmmaSchedule::reduceAndStore(const Place &own, Value acc) {
  auto &b = p.b();
  Value part = getRank(2);
  Value sum = b.create<AccClusterReduceOp>(
      getStoredAcc(), acc, part, c.wgmma.cluster[2],
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

/// What the epilogue reads comes while the products run. Of many tiles' vectors
/// the first brings most, and their addresses cost pingpong kernels a spill.
void WgmmaSchedule::prefetch(const Place &own, const StagedInputs *inputs) {
  AccType acc = getStoredAcc();
  int64_t rows = acc.getRows(), columns = acc.getColumns();
  if (c.swapAB)
    std::swap(rows, columns);
  buildPrefetch(p, rows, columns, own.batch, own.m, own.n,
                inputs ? inputs->getOperands() : ArrayRef<unsigned>(),
                /*vectors=*/!c.wgmma.persistent);
}

/// Whether the epilogue's inputs come to registers while the first stages are
/// on their way: where a CTA has one tile, behind whose products nothing else
/// would hide their latency, and registers for them; also for a second CTA, if
/// the multiprocessor's shared memory has room for its ring.
bool WgmmaSchedule::readsEarly() {
  constexpr int64_t otherRegisters = 85, most = 240;
  if (c.wgmma.persistent || c.wgmma.stageInputs || c.splitK > 1 ||
      c.minCtas > 1 || c.getSumParts() < c.wgmma.cluster[2])
    return false;
  const ChipInfo &chip = llvm::cantFail(lookupChip(*p.getKernel().getChip()));
  int64_t ring = c.stages * (c.cta[0] + c.cta[1]) * c.cta[2] * 2;
  bool hasNeighbour = 2 * (ring + chip.sharedReserved) <= chip.sharedPerSM;
  int64_t available =
      hasNeighbour ? chip.registersPerSM / (2 * c.getNumThreads()) : most;
  // A thread has 2 of 64 rows and of 8 columns.
  AccType acc = getStoredAcc();
  int64_t rows = acc.getRows() / 32, columns = acc.getColumns() / 4;
  int64_t sums = rows * columns;
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

/// `own` is the share of the tile that the running warpgroup stores.
void WgmmaSchedule::store(const Place &own, Value acc,
                          const StagedInputs *inputs, Value token) {
  StoreInfo info;
  info.early = early;
  info.kind = c.epilogue;
  info.buffers = c.epilogue == EpilogueKind::Tma ? c.wgmma.epilogueBuffers : 0;
  info.warpgroups = c.getSharers();
  info.transposed = c.swapAB;
  info.staged = inputs;
  info.token = token;
  if (c.splitK == 1)
    buildEpilogue(p, acc, own.batch, own.m, own.n, info);
  else
    buildPartialStore(p, acc, own.slice, own.batch, own.m, own.n, info);
}

/// A role of consumers; `turn` is its number where they take turns, else -1.
void WgmmaSchedule::consume(int64_t firstWarp, int64_t warps, int64_t turn) {
  auto &b = p.b();
  auto role = b.create<RoleOp>(
      RoleKind::Consumer,
      b.getDenseI64ArrayAttr({firstWarp, firstWarp + warps}), IntegerAttr());
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(&role.getBody().emplaceBlock());
  setRegisters(role);
  constexpr int64_t threads = 256; // of the two that take turns
  if (c.getSharers() > 1)
    group = b.create<WarpgroupOp>(b.getI32Type());
  Value start =
      b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, 0);
  Value from = first, by = step;
  if (turn >= 0)
    by = p.add(step, step);
  if (turn > 0) {
    // The other goes first; this one starts behind its tile.
    start = advance(start, tilesK);
    from = p.add(first, step);
    b.create<OrderArriveOp>(0, threads);
  }
  // Who has waited for stages knows that the grids ahead have ended, but only
  // by way of the producer: inputs and stores are the consumers' own.
  if (c.dependentLaunch)
    b.create<GridWaitOp>();
  StagedInputs *inputs = getStaged(turn);
  SmallVector<Value> starts{start};
  if (inputs)
    starts.push_back(inputs->start());
  forEachTile(from, by, starts, [&](const Place &place, ValueRange carried) {
    Value state = carried[0];
    if (inputs)
      inputs->load(carried[1], place.batch, place.m, place.n);
    Place own;
    if (early)
      own = getShare(place);
    else if (c.splitK == 1)
      prefetch(getShare(place), inputs);
    if (turn >= 0)
      b.create<OrderWaitOp>(turn, threads);
    Value acc = multiplyTile(place, state);
    if (turn >= 0) {
      b.create<OrderArriveOp>(1 - turn, threads);
      state = advance(state, tilesK);
    }
    if (!early)
      own = getShare(place);
    if (!inputs) {
      if (c.wgmma.cluster[2] > 1)
        reduceAndStore(own, acc);
      else
        store(own, acc, /*inputs=*/nullptr, /*token=*/Value());
      return SmallVector<Value>{state};
    }
    Value read = inputs->wait(carried[1]);
    store(own, acc, inputs, read);
    inputs->release(read);
    return SmallVector<Value>{state, inputs->advance(carried[1])};
  });
  if (c.epilogue == EpilogueKind::Tma && c.splitK == 1)
    b.create<TmaAwaitOp>();
}

/// Registers move from the producer to the consumers, where that gives these
/// more than the kernel starts with.
void WgmmaSchedule::setRegisters(RoleOp role) {
  int64_t registers = getConsumerRegisters(c);
  if (!registers)
    return;
  bool isProducer = role.getKind() == RoleKind::Producer;
  role.setRegisters(isProducer ? getProducerRegisters(c) : registers);
}

void WgmmaSchedule::build() {
  rows = makeOperand(c.swapAB ? 1 : 0);
  columns = makeOperand(c.swapAB ? 0 : 1);
  tilesM = p.ceilDiv(p.size("M"), c.cta[0] * c.wgmma.cluster[0]);
  tilesN = p.ceilDiv(p.size("N"), c.cta[1] * c.wgmma.cluster[1]);
  tilesK = p.ceilDiv(p.size("K"), c.cta[2]);
  numTiles =
      p.mul(p.mul(tilesM, tilesN), p.mul(p.size("batch"), p.i32(c.splitK)));
  first = p.blockId();
  step = p.gridSize();
  if (int64_t size = c.getClusterSize(); size > 1) {
    rank = p.remU(first, p.i32(size));
    first = p.divU(first, p.i32(size));
    step = p.divU(step, p.i32(size));
  }
  early = readsEarly();
  createRings();
  if (!c.wgmma.persistent)
    onlyTile = locate(first);
  produce();
  if (c.wgmma.pingpong) {
    consume(4, 4, 0);
    consume(8, 4, 1);
  } else {
    consume(4, 4 * c.getConsumers(), -1);
  }
  if (getMulticast() > 1)
    p.b().create<ClusterSyncOp>();
}

ProgramOp tcgemm::buildWgmmaProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                    const KernelConfig &config,
                                    ArrayRef<unsigned> copied, StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  WgmmaSchedule(p, config, copied).build();
  ProgramOp program = p.finish();
  program.setCluster(config.getClusterSize());
  // ptxas ignores setmaxnreg where this is not given.
  program.setMinCtas(std::max<int64_t>(1, config.minCtas));
  return program;
}
