//===- Program.cpp - The wmma program -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of T. Hofstra, "Developing an auto-tunable GEMM kernel that
// utilizes Tensor Cores" (Leiden, 2024): a ring of cp.async stages (two with a
// k of 16 in the thesis), whose copies overlap the products of the previous
// stage; operands that are loaded to fragments without shared memory; several
// tiles for each CTA in several orders. In contrast to the thesis, any size is
// supported, because the first k-tile has K's residue. C is read after the
// products instead of being preloaded with the factor beta / alpha, which is
// not possible if alpha is 0.
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Wmma/Family.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Wmma.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// An output tile, in elements.
struct Tile {
  Value batch, m, n;
};

/// A or B of the tile that is computed.
struct Operand {
  unsigned index;
  FragmentRole role;
  bool transposed; // k is not contiguous
  Value side;      // the warp's index along m or n
  int64_t rows;    // of a warp
  Value origin, extent, stride;
  /// Its tile in the stages, or -1 if fragments are loaded from global memory;
  /// and its loader.
  int64_t tile = -1;
  Value loader;
  /// Elements between the base and the next k-tile that is copied or
  /// multiplied.
  Value address;
};

class WmmaSchedule {
public:
  WmmaSchedule(ProgramBuilder &p, const KernelConfig &config)
      : p(p), c(config) {}
  void build();

private:
  TileType getTileType(unsigned operand);
  /// The elements that share a byte, in A and in B.
  int64_t getPacked() const { return getPackedElements(p.getKernel(), 0); }
  void createRing();
  void forEachTile(llvm::function_ref<void(Value)> body);
  Operand makeOperand(unsigned index, const Tile &tile);
  void copyStage(Value kValid, Value present);
  void waitForStage();
  void fillRing();
  void multiply(Value tile);
  void mainLoop();
  void finishTile(const Tile &tile);
  void storeStaged(const Tile &tile, Value row, Value column);

  AccLayout getLayout() {
    return getWmmaLayout(
        {c.instruction[0], c.instruction[1], c.instruction[2]});
  }
  Value advance(Value state) {
    return p.b().create<RingAdvanceOp>(state.getType(), ring, state, Value());
  }
  TokenType token(TokenKind kind) {
    return TokenType::get(p.b().getContext(), kind);
  }
  /// The values that the loop over k carries.
  SmallVector<Value> pack();
  void unpack(ValueRange values);

  ProgramBuilder &p;
  const KernelConfig &c;
  Value tilesM, tilesN, tilesK, residue, warpM, warpN;
  Value ring; // none if nothing is staged
  SmallVector<Operand> operands;
  Value acc, readState, writeState, readToken;
  SmallVector<Value> inFlight;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void WmmaSchedule::forEachTile(llvm::function_ref<void(Value)> body) {
  if (c.wmma.tilesPerCta == 1)
    return body(p.blockId());
  auto &b = p.b();
  Value tiles = p.mul(p.countProducts(), p.mul(tilesM, tilesN));
  Value first = p.blockId(), step = p.gridSize(), end = tiles;
  if (c.tileOrder == TileOrder::Sequential) {
    first = p.mul(first, p.i32(c.wmma.tilesPerCta));
    step = p.i32(1);
    end = p.minU(p.add(first, p.i32(c.wmma.tilesPerCta)), tiles);
  }
  auto loop = b.create<scf::ForOp>(first, end, step);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  // The next tile's copies and sums overwrite memory in which this tile's sums
  // may still be read.
  if (ring || c.epilogue == EpilogueKind::Staged)
    b.create<gpu::BarrierOp>();
}

TileType WmmaSchedule::getTileType(unsigned operand) {
  Type element = getTileElement(p.getKernel(), operand);
  bool kContiguous = isKContiguous(p.getKernel(), operand);
  int64_t side = c.cta[operand], depth = c.cta[2] / getPacked();
  return TileType::get(p.b().getContext(), kContiguous ? side : depth,
                       kContiguous ? depth : side, element, Swizzle::None);
}

void WmmaSchedule::createRing() {
  SmallVector<TileType> tiles;
  for (unsigned operand : {0, 1})
    if (c.isStaged(operand))
      tiles.push_back(getTileType(operand));
  if (tiles.empty())
    return;
  auto type =
      RingType::get(p.b().getContext(), c.stages, RingKind::CpAsync, tiles);
  ring = p.b().create<RingCreateOp>(type, 1, 1);
}

Operand WmmaSchedule::makeOperand(unsigned index, const Tile &tile) {
  auto &b = p.b();
  bool kContiguous = isKContiguous(p.getKernel(), index);
  Operand operand;
  operand.index = index;
  operand.role = index ? FragmentRole::B : FragmentRole::A;
  operand.transposed = !kContiguous;
  operand.side = index ? warpN : warpM;
  operand.rows = index ? c.getWarpN() : c.getWarpM();
  operand.origin = index ? tile.n : tile.m;
  operand.extent = p.size(index ? "N" : "M");
  // The stride across the contiguous direction.
  operand.stride = p.stride(index, kContiguous ? (index ? 'n' : 'm') : 'k');
  Value batch = p.outerOffset(index, tile.batch);
  if (!c.isStaged(index)) {
    operand.address = batch;
    return operand;
  }
  operand.tile = index && c.stageA ? 1 : 0;
  auto type = LoaderType::get(b.getContext(), getTileType(index),
                              index ? c.copyB : c.copyA, kContiguous,
                              c.getNumThreads(), /*transposed=*/false);
  operand.loader =
      b.create<LoaderCreateOp>(type, p.pointer(index), operand.stride,
                               operand.origin, operand.extent, Value());
  operand.address =
      b.create<LoaderStartOp>(b.getI64Type(), operand.loader, batch, p.i32(0));
  return operand;
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

/// Copies a whole stage if `present`. The group exists in any case.
void WmmaSchedule::copyStage(Value kValid, Value present) {
  auto &b = p.b();
  if (kValid && getPacked() > 1)
    kValid = p.divU(kValid, getPacked());
  Value write =
      b.create<RingAcquireOp>(token(TokenKind::Write), ring, writeState);
  auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    for (const Operand &operand : operands)
      if (operand.loader)
        b.create<LoaderCopyOp>(operand.loader, operand.address, ring,
                               writeState, write, kValid, operand.tile, 0, 1);
  }
  inFlight.push_back(
      b.create<RingCommitOp>(token(TokenKind::InFlight), ring, write)
          .getInFlight());
  for (Operand &operand : operands)
    if (operand.loader)
      operand.address = b.create<LoaderAdvanceOp>(
          b.getI64Type(), operand.loader, operand.address,
          kValid ? kValid : p.i32(c.cta[2] / getPacked()));
  writeState = advance(writeState);
}

void WmmaSchedule::waitForStage() {
  readToken = p.b().create<RingWaitOp>(token(TokenKind::Read), ring, readState,
                                       inFlight.front(),
                                       std::max<int64_t>(0, c.stages - 2));
  inFlight.erase(inFlight.begin());
}

/// Fills all stages except one.
void WmmaSchedule::fillRing() {
  auto &b = p.b();
  readState =
      b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, 0);
  writeState = readState;
  inFlight.clear();
  for (int64_t stage = 0; stage < c.stages - 1; ++stage) {
    Value present = p.cmp(arith::CmpIPredicate::slt, p.i32(stage), tilesK);
    copyStage(stage ? Value() : residue, present);
  }
  waitForStage();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// acc += A B of k-tile `tile`, whose stage has been waited for.
void WmmaSchedule::multiply(Value tile) {
  auto &b = p.b();
  if (ring) {
    Value next = p.add(tile, p.i32(c.stages - 1));
    copyStage(Value(), p.cmp(arith::CmpIPredicate::slt, next, tilesK));
  }
  for (int64_t step = 0; step < c.getKSteps(); ++step) {
    SmallVector<Value> fragments;
    for (const Operand &operand : operands) {
      auto type = FragmentType::get(
          b.getContext(), operand.role, operand.rows, c.instruction[2],
          getTileElement(p.getKernel(), operand.index), getLayout());
      if (operand.loader) {
        fragments.push_back(b.create<FragmentLoadOp>(
            type, ring, readState, readToken, operand.side, Value(),
            operand.tile, step, operand.transposed, 1, IntegerAttr(), Value(),
            RepresentationAttr()));
        continue;
      }
      Value k = p.i64(step * c.instruction[2] / getPacked());
      Value address = p.add(operand.address,
                            operand.transposed ? p.mul(k, operand.stride) : k);
      Value first =
          p.add(operand.origin, p.mul(operand.side, p.i32(operand.rows)));
      fragments.push_back(b.create<FragmentFetchOp>(
          type, p.pointer(operand.index), address, operand.stride, first,
          operand.extent, operand.transposed));
    }
    acc = b.create<MmaOp>(acc.getType(), fragments[0], fragments[1], acc,
                          /*zero_points=*/Value(), operands[0].transposed,
                          operands[1].transposed,
                          /*shape=*/nullptr);
  }
  for (Operand &operand : operands) {
    if (operand.loader)
      continue;
    Value depth = p.i64(c.cta[2] / getPacked());
    operand.address =
        p.add(operand.address,
              operand.transposed ? p.mul(depth, operand.stride) : depth);
  }
  if (!ring)
    return;
  b.create<RingReleaseOp>(ring, readToken, 1);
  readState = advance(readState);
  waitForStage();
}

SmallVector<Value> WmmaSchedule::pack() {
  SmallVector<Value> values{acc, operands[0].address, operands[1].address};
  if (ring) {
    values.append({readState, writeState, readToken});
    llvm::append_range(values, inFlight);
  }
  return values;
}

void WmmaSchedule::unpack(ValueRange values) {
  acc = values[0];
  operands[0].address = values[1], operands[1].address = values[2];
  if (!ring)
    return;
  readState = values[3], writeState = values[4], readToken = values[5];
  inFlight.assign(values.begin() + 6, values.end());
}

void WmmaSchedule::mainLoop() {
  auto &b = p.b();
  acc = b.create<AccZeroOp>(AccType::get(c.getWarpM(), c.getWarpN(),
                                         p.getKernel().getInstructionSumType(),
                                         getLayout()));
  if (ring)
    fillRing();
  auto loop = b.create<scf::ForOp>(p.i32(0), tilesK, p.i32(1), pack());
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    unpack(loop.getRegionIterArgs());
    multiply(loop.getInductionVar());
    b.create<scf::YieldOp>(pack());
  }
  unpack(loop.getResults());
  if (!ring)
    return;
  SmallVector<Value> left{readToken};
  llvm::append_range(left, inFlight);
  // All copies have completed: each was waited for before its tile was read,
  // and there are none beyond the last tile. The barrier of the last wait
  // follows all reads.
  b.create<RingDrainOp>(ring, left, /*landed=*/true, /*ordered=*/true);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// Writes the CTA's tile to shared memory; all threads then store its rows.
void WmmaSchedule::storeStaged(const Tile &tile, Value row, Value column) {
  auto &b = p.b();
  constexpr int64_t segment = 4;
  int64_t pitch = getWmmaStagingPitch(c), segments = c.cta[1] / segment;
  b.create<AccStageOp>(acc, row, column, c.cta[0], pitch);
  auto loop = b.create<scf::ForOp>(p.threadId(), p.i32(c.cta[0] * segments),
                                   p.i32(c.getNumThreads()));
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value m = p.divU(number, p.i32(segments));
  Value n = p.mul(p.remU(number, p.i32(segments)), p.i32(segment));
  auto type = AccType::get(1, segment, p.getKernel().getInstructionSumType(),
                           AccLayout::Row);
  Value sums = b.create<AccUnstageOp>(type, m, n, c.cta[0], pitch);
  buildEpilogue(p, p.extend(sums), tile.batch, p.add(tile.m, m),
                p.add(tile.n, n), StoreInfo());
}

void WmmaSchedule::finishTile(const Tile &tile) {
  Value row = p.mul(warpM, p.i32(c.getWarpM()));
  Value column = p.mul(warpN, p.i32(c.getWarpN()));
  if (c.epilogue == EpilogueKind::Staged)
    return storeStaged(tile, row, column);
  StoreInfo store;
  store.staging = getWmmaStagingBytes(c, getProblemInfo(p.getKernel()));
  buildEpilogue(p, acc, tile.batch, p.add(tile.m, row), p.add(tile.n, column),
                store);
}

void WmmaSchedule::build() {
  tilesM = p.ceilDiv(p.size("M"), c.cta[0]);
  tilesN = p.ceilDiv(p.size("N"), c.cta[1]);
  Value depth = getPaddedDepth(p, c);
  tilesK = p.ceilDiv(depth, c.cta[2]);
  residue = p.sub(depth, p.mul(p.sub(tilesK, p.i32(1)), p.i32(c.cta[2])));
  Value warp = p.divU(p.threadId(), p.i32(32));
  warpM = p.divU(warp, p.i32(c.warps[1]));
  warpN = p.remU(warp, p.i32(c.warps[1]));
  createRing();
  forEachTile([&](Value linear) {
    RasterOp raster = buildRaster(p, c, linear, tilesM, tilesN);
    Tile tile{raster.getBatch(), p.mul(raster.getM(), p.i32(c.cta[0])),
              p.mul(raster.getN(), p.i32(c.cta[1]))};
    operands = {makeOperand(0, tile), makeOperand(1, tile)};
    mainLoop();
    finishTile(tile);
  });
}

ProgramOp tcgemm::buildWmmaProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                   const KernelConfig &config, StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  WmmaSchedule(p, config).build();
  return p.finish(config);
}
