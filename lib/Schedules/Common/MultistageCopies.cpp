//===- MultistageCopies.cpp - Copies of A and B to a ring -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageCopies.h"
#include "Common/Programs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Place
//===----------------------------------------------------------------------===//

/// The number of the last k-tile, of all slices.
static Value getLastTile(ProgramBuilder &p, Value depth, int64_t tile) {
  return p.sub(p.ceilDiv(depth, tile), p.i32(1));
}

/// K as the copies see it. A static K that their width does not divide reaches
/// this program only through packed operands, which are padded with zeros.
Value MultistageCopies::getDepth() {
  if (splitsOperands(p.getKernel()))
    return p.depth(c);
  int64_t k = p.getKernel().getK(), vector = 1;
  for (unsigned operand : {0, 1})
    if (LoaderType type = worker.getLoaderType(operand); type.getKContiguous())
      vector = std::max(vector, type.getVector() *
                                    getPackedElements(p.getKernel(), operand));
  return ShapedType::isDynamic(k) ? p.size("K")
                                  : p.i32(llvm::alignTo(k, vector));
}

/// Counts the bytes or elements of a row, or the rows, that an operand's memory
/// has for `elements` along k.
Value MultistageCopies::countAlongK(unsigned operand, Value elements) {
  int64_t held = getPackedElements(p.getKernel(), operand);
  if (!isKContiguous(p.getKernel(), operand))
    held *= getRowsInMemoryRow(p.getKernel(), operand);
  return held == 1 ? elements : p.divU(elements, held);
}

/// Counts the same for `elements` along m or n.
Value MultistageCopies::countAlongSide(unsigned operand, Value elements) {
  int64_t held = isKContiguous(p.getKernel(), operand)
                     ? getRowsInMemoryRow(p.getKernel(), operand)
                     : 1;
  return held == 1 ? elements : p.divU(elements, held);
}

/// Sets the k-tiles of the place's slice and the addresses of its first one.
void MultistageCopies::chooseSlice(MultistagePlace &place) {
  Value k = getDepth();
  Value tiles = p.ceilDiv(k, c.cta[2]);
  place.firstTile = p.i32(0);
  place.endTile = tiles;
  if (c.splitK > 1) {
    auto bound = [&](Value s) {
      return p.divU(p.mul(s, tiles), p.i32(c.splitK));
    };
    place.firstTile = bound(place.slice);
    place.endTile = bound(p.add(place.slice, p.i32(1)));
  }
  Value residue = p.sub(k, p.mul(p.sub(tiles, p.i32(1)), p.i32(c.cta[2])));
  Value isFirst = p.cmp(arith::CmpIPredicate::eq, place.firstTile, p.i32(0));
  place.firstValid = p.select(isFirst, residue, p.i32(c.cta[2]));
  Value later = p.sub(k, p.mul(p.sub(tiles, place.firstTile), p.i32(c.cta[2])));
  Value start = p.select(isFirst, p.i32(0), later);
  for (unsigned operand : {0, 1}) {
    Stream &stream = streams[operand];
    stream.address = p.outerOffset(operand, place.batch);
    if (stream.loader)
      stream.address = p.b().create<LoaderStartOp>(
          p.b().getI64Type(), stream.loader, stream.address,
          countAlongK(operand, start));
  }
}

void MultistageCopies::makeStream(unsigned operand,
                                  const MultistagePlace &place) {
  auto &b = p.b();
  Value origin = countAlongSide(operand, operand ? place.n : place.m);
  Value extent = countAlongSide(operand, p.size(operand ? "N" : "M"));
  bool kContiguous = isKContiguous(p.getKernel(), operand);
  LoaderType type = worker.getLoaderType(operand);
  Stream &stream = streams[operand];
  // The stride across the contiguous direction.
  Value stride = p.stride(operand, kContiguous ? (operand ? 'n' : 'm') : 'k');
  stream.stride = stride;
  if (!c.isStaged(operand)) {
    stream.transposed = !kContiguous;
    return;
  }
  stream.tile = operand && c.isStaged(0) ? 1 : 0;
  // All tiles but the first start K less whole tiles behind the row's start,
  // and whole tiles are whole sectors. The base counts as aligned to a sector:
  // where it is not, this is slower and as right.
  Value phase;
  if (type.getTile().getSwizzle() == Swizzle::Sectors)
    phase = p.add(p.ext(countAlongK(operand, getDepth())),
                  p.outerOffset(operand, place.batch));
  stream.loader = b.create<LoaderCreateOp>(type, p.pointer(operand), stride,
                                           origin, extent, phase);
  stream.transposed = !kContiguous || type.getTransposed();
}

void MultistageCopies::start(MultistagePlace &ofCta) {
  makeStream(0, ofCta);
  makeStream(1, ofCta);
  chooseSlice(ofCta);
  place = ofCta;
}

/// The first tile of the product has the residue of the depth, and all tiles
/// end whole tiles before the depth's end. Packed operands may have padding
/// there.
Value MultistageCopies::getValid(Value tile) {
  int64_t staticK = p.getKernel().getK();
  Value whole = ShapedType::isDynamic(staticK)
                    ? p.expression(Expr::symbol(kWholeDepth), p.getI32Type())
                    : p.i32(staticK);
  Value depth = getDepth();
  Value last = getLastTile(p, depth, c.cta[2]);
  Value end = p.sub(depth, p.mul(p.sub(last, tile), p.i32(c.cta[2])));
  Value isFirst = p.equal(tile, p.i32(0));
  Value start = p.select(isFirst, p.i32(0), p.sub(end, p.i32(c.cta[2])));
  return p.sub(p.minS(whole, end), start);
}

std::optional<unsigned> MultistageCopies::findKept() const {
  bool isInOrder = c.persistent && c.tileOrder == TileOrder::Sequential;
  unsigned kept = c.raster == RasterOrder::AlongM ? 1 : 0;
  std::optional<int64_t> tiles = countStaticTiles();
  if (!isInOrder || !c.isStaged(kept) || (tiles && *tiles > c.stages))
    return std::nullopt;
  return kept;
}

Value MultistageCopies::mustCopy(unsigned kept, const MultistagePlace &place,
                                 const MultistagePlace &next) {
  Value before = kept ? place.n : place.m, behind = kept ? next.n : next.m;
  Value moved =
      p.bitOr(p.bitXor(before, behind), p.bitXor(place.batch, next.batch));
  Value isOther = p.notEqual(moved, p.i32(0));
  Value exceeds =
      p.cmp(arith::CmpIPredicate::sgt, place.endTile, p.i32(c.stages));
  return p.bitOr(isOther, exceeds);
}

bool MultistageCopies::refills() const {
  std::optional<int64_t> tiles = countStaticTiles();
  return !tiles ||
         llvm::divideCeil(*tiles, c.splitK) >= static_cast<uint64_t>(c.stages);
}

std::optional<int64_t> MultistageCopies::countStaticTiles() const {
  if (ShapedType::isDynamic(p.getKernel().getK()))
    return std::nullopt;
  int64_t depth = getProblemInfo(p.getKernel()).getDepth();
  return llvm::divideCeil(depth, c.cta[2]);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void MultistageCopies::createRing() {
  auto &b = p.b();
  SmallVector<TileType> tiles;
  for (const Stream &stream : streams)
    if (stream.loader)
      tiles.push_back(cast<LoaderType>(stream.loader.getType()).getTile());
  auto type = RingType::get(b.getContext(), c.stages, RingKind::CpAsync, tiles);
  ring = b.create<RingCreateOp>(type, 1, 1);
}

Value MultistageCopies::getStart(int64_t stage) {
  auto &b = p.b();
  return b.create<RingStartOp>(RingStateType::get(b.getContext()), ring, stage);
}

Value MultistageCopies::getNext(Value state) {
  return p.b().create<RingAdvanceOp>(state.getType(), ring, state, Value());
}

Value MultistageCopies::acquire(Value state) {
  return p.b().create<RingAcquireOp>(getToken(TokenKind::Write), ring, state);
}

void MultistageCopies::copyPart(Value state, Value write, Value kValid,
                                int64_t part, int64_t parts) {
  auto &b = p.b();
  for (auto [operand, stream] : llvm::enumerate(streams)) {
    if (!stream.loader)
      continue;
    OpBuilder::InsertionGuard scope(b);
    if (place.isNew && findKept() == operand) {
      auto guard = b.create<scf::IfOp>(place.isNew, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    b.create<LoaderCopyOp>(stream.loader, stream.address, ring, state, write,
                           kValid ? countAlongK(operand, kValid) : Value(),
                           stream.tile, part, parts);
  }
}

Value MultistageCopies::commit(Value write) {
  return p.b()
      .create<RingCommitOp>(getToken(TokenKind::InFlight), ring, write)
      .getInFlight();
}

Value MultistageCopies::copyStage(Value state, Value kValid, Value present) {
  auto &b = p.b();
  Value write = acquire(state);
  auto guard = b.create<scf::IfOp>(present, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(guard.thenBlock());
    copyPart(state, write, kValid, 0, 1);
  }
  return commit(write);
}

Value MultistageCopies::waitFor(Value state, Value group) {
  return p.b().create<RingWaitOp>(getToken(TokenKind::Read), ring, state, group,
                                  std::max<int64_t>(0, c.stages - 2));
}

/// All tiles are whole, and there is at least one. In place of those beyond the
/// last one, that is read again.
Value MultistageCopies::fetchFragment(unsigned operand, int64_t step,
                                      Value tile) {
  const Stream &stream = streams[operand];
  FragmentType type = worker.getFragmentType(operand);
  int64_t parts = worker.getPartsOfK();
  Value last = getLastTile(p, getDepth(), c.cta[2]);
  Value k = p.mul(p.minS(tile, last), p.i32(c.cta[2]));
  if (parts > 1)
    k = p.add(k, p.mul(worker.getPartOfK(), p.i32(c.cta[2] / parts)));
  k = p.add(k, p.i32(step * type.getDepth()));
  Value along = p.ext(k);
  if (stream.transposed)
    along = p.mul(along, stream.stride);
  Value first = p.add(operand ? place.n : place.m, worker.getOffset(operand));
  return p.b().create<FragmentFetchOp>(
      type, p.pointer(operand), p.add(stream.address, along), stream.stride,
      first, p.size(operand ? "N" : "M"), stream.transposed);
}

SmallVector<Value> MultistageCopies::loadFragments(Value state, Value read,
                                                   int64_t step, Value tile) {
  auto &b = p.b();
  SmallVector<Value> loaded;
  for (unsigned operand : {0, 1}) {
    const Stream &stream = streams[operand];
    if (!stream.loader) {
      loaded.push_back(fetchFragment(operand, step, tile));
      continue;
    }
    auto copied = cast<LoaderType>(stream.loader.getType()).getTile();
    int64_t parts = worker.getPartsOfK();
    loaded.push_back(b.create<FragmentLoadOp>(
        worker.getFragmentType(operand), ring, state, read,
        worker.getIndex(operand), parts > 1 ? worker.getPartOfK() : Value(),
        stream.tile, step, stream.transposed, parts, /*depth=*/IntegerAttr(),
        copied.getSwizzle() == Swizzle::Sectors ? stream.loader : Value(),
        operand ? p.getKernel().getRepresentation() : RepresentationAttr()));
  }
  return loaded;
}

SmallVector<Value> MultistageCopies::getAddresses() const {
  SmallVector<Value> addresses;
  for (const Stream &stream : streams)
    if (stream.loader)
      addresses.push_back(stream.address);
  return addresses;
}

void MultistageCopies::takeAddresses(ValueRange &values) {
  for (Stream &stream : streams) {
    if (!stream.loader)
      continue;
    stream.address = values.front();
    values = values.drop_front();
  }
}

SmallVector<Value> MultistageCopies::getNextAddresses(Value by) {
  SmallVector<Value> addresses;
  for (auto [operand, stream] : llvm::enumerate(streams))
    if (stream.loader)
      addresses.push_back(p.b().create<LoaderAdvanceOp>(
          p.b().getI64Type(), stream.loader, stream.address,
          countAlongK(operand, by)));
  return addresses;
}
