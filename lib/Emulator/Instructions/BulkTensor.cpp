//===- BulkTensor.cpp - cp.async.bulk.tensor ------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/BulkCopyOps.h"
#include "Instructions/BulkReduce.h"
#include "Instructions/MemoryOrder.h"
#include "Machine/Block.h"
#include "Machine/Decoder.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/Support/FormatVariadic.h"

#include <tuple>

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

namespace {
struct TensorExtra : Extra {
  AddressOperand map, mbarrier, shared;
  Space mapSpace = Space::Generic, sharedSpace = Space::Shared;
  unsigned rank = 0; ///< Operands: the coordinates [, the multicast's blocks]
                     ///< [, the offsets of a window].
  bool isLoad = false, multicasts = false, hasWindow = false;
  BulkReduction reduction = BulkReduction::None;
};
} // namespace

/// The lane's tensor map; fails the launch if there is none.
static bool readMap(Warp &warp, const Instruction &inst,
                    const TensorExtra &extra, unsigned lane,
                    TensorMapDescription &map) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = AccessKind::CopySource;
  access.bytes = std::tuple_size<TensorMapImage>::value;
  access.lanes = 1u << lane;
  warp.memory.resolve(access, extra.map, extra.mapSpace, 64);
  if (!access.lanes) {
    warp.fail("the tensor map lies in no memory");
    return false;
  }
  auto decoded =
      decodeEmulatedTensorMap({access.data(lane), size_t(access.bytes)});
  if (!decoded) {
    warp.fail(llvm::toString(decoded.takeError()));
    return false;
  }
  map = std::move(*decoded);
  if (map.window.has_value() != extra.hasWindow) {
    warp.fail(map.window ? "a tensor map with a window needs .im2col"
                         : ".im2col needs a tensor map with a window");
    return false;
  }
  if (map.dims.size() == extra.rank)
    return true;
  warp.fail(llvm::formatv("{0} coordinates for a tensor map of rank {1}",
                          extra.rank, map.dims.size()));
  return false;
}

/// Adds a piece, whose region is still unknown. False if it is not in an
/// allocation, which is reported.
static bool addPiece(Warp &warp, const Instruction &inst, unsigned lane,
                     AccessKind kind, BulkPiece piece,
                     std::vector<BulkPiece> &pieces) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = kind;
  access.bytes = piece.bytes;
  access.lanes = 1u << lane;
  access.address[lane] = piece.address;
  warp.memory.resolveAddresses(access, Space::Global, 1);
  if (!access.lanes)
    return false;
  piece.region = access.region[lane];
  piece.address = access.address[lane];
  pieces.push_back(piece);
  return true;
}

/// The rows of a box as pieces of global memory. Rows out of bounds have no
/// piece. False if the tensor is not in an allocation, which is reported.
static bool findRows(Warp &warp, const Instruction &inst, unsigned lane,
                     const TensorMapDescription &map,
                     llvm::ArrayRef<int32_t> start, bool isTarget,
                     std::vector<BulkPiece> &pieces) {
  unsigned rank = map.dims.size();
  uint64_t elementBytes = getByteSize(map.type);
  // The part of the innermost dimension that is in bounds. Where that ends
  // within 16 bytes, an H200 stores all of them (and reduces, it is assumed).
  constexpr uint64_t storedBytes = 16;
  int64_t from = std::max<int64_t>(start[0], 0);
  int64_t end = map.dims[0];
  if (isTarget)
    end = llvm::alignTo(end * elementBytes, storedBytes) / elementBytes;
  int64_t to = std::min<int64_t>(int64_t(start[0]) + map.box[0], end);
  if (from >= to)
    return true;
  uint32_t rowBytes = map.box[0] * elementBytes;
  uint64_t rows = 1;
  for (unsigned i = 1; i < rank; ++i)
    rows *= map.box[i];
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t rest = row, address = map.base + from * elementBytes;
    bool inBounds = true;
    for (unsigned i = 1; i < rank; ++i) {
      int64_t at = start[i] + int64_t(rest % map.box[i]);
      rest /= map.box[i];
      inBounds &= at >= 0 && at < map.dims[i];
      address += uint64_t(at) * uint64_t(map.strides[i - 1]);
    }
    if (!inBounds)
      continue;
    BulkPiece piece;
    piece.address = address;
    piece.bytes = uint32_t(to - from) * elementBytes;
    piece.at =
        uint32_t(row * rowBytes + uint64_t(from - start[0]) * elementBytes);
    if (!addPiece(warp, inst, lane,
                  isTarget ? AccessKind::CopyTarget : AccessKind::CopySource,
                  piece, pieces))
      return false;
  }
  return true;
}

/// The place after `at` within the first to the last one, or the first one and
/// true if there is no more.
static std::pair<int64_t, bool> step(int64_t at, int64_t first, int64_t last,
                                     unsigned by) {
  return at + by <= last ? std::pair(at + by, false) : std::pair(first, true);
}

/// The pixels of a box of images as pieces of global memory. Pixels out of
/// bounds have no piece. False if the tensor is not in an allocation, which is
/// reported.
static bool findPixels(Warp &warp, const Instruction &inst, unsigned lane,
                       const TensorMapDescription &map, const int32_t *start,
                       const uint16_t *offsets,
                       std::vector<BulkPiece> &pieces) {
  const TensorMapWindow &window = *map.window;
  uint64_t elementBytes = getByteSize(map.type);
  int64_t from = std::max<int64_t>(start[0], 0);
  int64_t to = std::min<int64_t>(int64_t(start[0]) + map.box[0], map.dims[0]);
  if (from >= to)
    return true;
  // W, H and N of the pixel, to which the offsets are added.
  int64_t at[] = {start[1], start[2], start[3]};
  for (uint64_t pixel = 0; pixel < map.box[1]; ++pixel) {
    int64_t place[] = {at[0] + offsets[0], at[1] + offsets[1], at[2]};
    bool carry = true;
    for (unsigned i = 0; i != 2 && carry; ++i)
      std::tie(at[i], carry) =
          step(at[i], window.lower[i], map.dims[i + 1] - 1 + window.upper[i],
               window.steps[i]);
    at[2] += carry;
    uint64_t address = map.base + from * elementBytes;
    bool inBounds = true;
    for (unsigned i = 0; i != 3; ++i) {
      inBounds &= place[i] >= 0 && place[i] < map.dims[i + 1];
      address += uint64_t(place[i]) * uint64_t(map.strides[i]);
    }
    if (!inBounds)
      continue;
    BulkPiece piece;
    piece.address = address;
    piece.bytes = uint32_t(to - from) * elementBytes;
    piece.at = uint32_t((pixel * map.box[0] + uint64_t(from - start[0])) *
                        elementBytes);
    if (!addPiece(warp, inst, lane, AccessKind::CopySource, piece, pieces))
      return false;
  }
  return true;
}

/// The pieces of global memory of a copy with the coordinates `start`.
static bool findGlobal(Warp &warp, const Instruction &inst,
                       const TensorExtra &extra, unsigned lane,
                       const TensorMapDescription &map, const int32_t *start,
                       std::vector<BulkPiece> &pieces) {
  if (!extra.hasWindow)
    return findRows(warp, inst, lane, map, {start, extra.rank}, !extra.isLoad,
                    pieces);
  uint16_t offsets[2];
  for (unsigned i : {0, 1})
    offsets[i] = warp.lanes<uint16_t>(
        inst.operands[extra.rank + extra.multicasts + i])[lane];
  return findPixels(warp, inst, lane, map, start, offsets, pieces);
}

static Type getType(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return Type::F16;
  case ScalarType::BF16:
    return Type::BF16;
  case ScalarType::F32:
    return Type::F32;
  case ScalarType::F64:
    return Type::F64;
  case ScalarType::I64:
    return Type::U64;
  default:
    return Type::U32;
  }
}

/// One lane's copy; false if the launch has failed.
static bool beginTile(Warp &warp, const Instruction &inst,
                      const TensorExtra &extra, unsigned lane) {
  TensorMapDescription map;
  if (!readMap(warp, inst, extra, lane, map))
    return false;
  int32_t start[kMaxTensorMapRank];
  for (unsigned i = 0; i < extra.rank; ++i)
    start[i] = warp.lanes<int32_t>(inst.operands[i])[lane];
  // An H100 ends such a launch with an illegal instruction.
  constexpr int64_t alignment = 16;
  int64_t firstByte = int64_t(start[0]) * getByteSize(map.type);
  if (extra.isLoad && map.swizzle != 0 && firstByte % alignment != 0) {
    warp.fail(llvm::formatv("the box starts at byte {0} of its rows, but with "
                            "a swizzle it must be a multiple of {1}",
                            firstByte, alignment));
    return false;
  }
  auto copy = std::make_unique<BulkCopy>();
  copy->warp = &warp;
  copy->inst = &inst;
  copy->lane = lane;
  copy->bytes = getBoxBytes(map);
  copy->swizzle = map.swizzle;
  copy->roundsToTFloat = extra.isLoad && map.type == ScalarType::TF32;
  setReduction(*copy, extra.reduction, getType(map.type));
  if (copy->reduction != BulkReduction::None &&
      !canReduce(copy->reduction, copy->type)) {
    warp.fail("there is no such reduction of the tensor's elements");
    return false;
  }
  copy->group = warp.asyncCopies.bulkGroups[lane];
  BulkPiece shared =
      findPiece(warp, inst, extra.shared, extra.sharedSpace, lane, copy->bytes,
                /*isTarget=*/extra.isLoad, 128);
  if (!shared.region)
    return true;
  (extra.isLoad ? copy->targets : copy->sources).push_back(shared);
  if (!findGlobal(warp, inst, extra, lane, map, start,
                  extra.isLoad ? copy->sources : copy->targets))
    return true;
  uint32_t mask = 0;
  if (extra.isLoad) {
    copy->signal =
        findMBarrier(warp, inst, extra.mbarrier, extra.sharedSpace, lane);
    if (!copy->signal.block)
      return false;
    if (extra.multicasts)
      mask = warp.lanes<uint16_t>(inst.operands[extra.rank])[lane];
  }
  beginMulticast(std::move(copy), mask);
  return true;
}

static Outcome runTensor(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const TensorExtra &>(*inst.extra);
  bool good = true;
  forEachLane(warp.exec, [&](unsigned lane) {
    good = good && beginTile(warp, inst, extra, lane);
  });
  return good ? Outcome::Next : Outcome::Failed;
}

/// A prefetch does nothing, but its tensor map must be valid.
static Outcome runPrefetch(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const TensorExtra &>(*inst.extra);
  TensorMapDescription map;
  bool good = true;
  forEachLane(warp.exec, [&](unsigned lane) {
    good = good && readMap(warp, inst, extra, lane, map);
  });
  return good ? Outcome::Next : Outcome::Failed;
}

/// `[map, {x, y}]`
static void decodeMapOperand(Decoder &d, TensorExtra &extra, unsigned index) {
  const ptx::Operand &operand = d.operand(index);
  extra.map = d.address(operand, Space::Generic);
  if (operand.elements.size() != 2)
    return d.fail("a tensor map and coordinates are needed");
  d.src(operand.elements[1], Type::S32, extra.rank);
}

void decodeBulkTensor(Decoder &d, Modifiers &mods) {
  auto extra = std::make_unique<TensorExtra>();
  Instruction &code = *d.code;
  mods.take("tensor");
  auto rank = mods.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (!rank)
    return d.fail("the tensor's rank is missing");
  extra->rank = *rank + 1;
  mods.take("tile");
  extra->hasWindow = mods.take("im2col");
  if (extra->hasWindow && extra->rank != kWindowRank)
    return d.fail(".im2col is supported for tensors of rank 4");
  bool hasHint = mods.take("L2::cache_hint");
  bool isPrefetch = mods.take("prefetch");
  bool isStore = mods.take("bulk_group");
  if (extra->hasWindow && (isPrefetch || isStore))
    return d.fail(".im2col is supported for loads");
  if (isPrefetch) {
    mods.take("L2");
    mods.take("global");
    if (!d.expectOperands(1 + hasHint))
      return;
    decodeMapOperand(d, *extra, 0);
    if (hasHint)
      d.getSourceSlot(d.operand(1), Type::B64);
    code.extra = std::move(extra);
    code.run = runPrefetch;
    return;
  }
  extra->isLoad = !isStore && mods.take("mbarrier::complete_tx::bytes");
  if (!isStore && !extra->isLoad)
    return d.fail("the completion mechanism is missing");
  if (isStore)
    if (auto op = mods.takeOneOf(
            {"add", "min", "max", "inc", "dec", "and", "or", "xor"}))
      extra->reduction = BulkReduction(*op + 1);
  extra->multicasts = mods.take("multicast::cluster");
  mods.take("cta_group::1");
  mods.take("global");
  extra->sharedSpace = mods.takeSpace();
  if (!d.expectOperands(2 + extra->isLoad + extra->hasWindow +
                        extra->multicasts + hasHint))
    return;
  unsigned next = 2;
  decodeMapOperand(d, *extra, extra->isLoad ? 1 : 0);
  extra->shared = d.address(extra->isLoad ? 0u : 1u, extra->sharedSpace);
  if (extra->isLoad)
    extra->mbarrier = d.address(next++, extra->sharedSpace);
  unsigned offsets = next;
  next += extra->hasWindow;
  if (extra->multicasts)
    d.src(next++, Type::B16);
  if (extra->hasWindow)
    d.src(offsets, Type::B16, kWindowRank - 2);
  if (hasHint)
    d.getSourceSlot(d.operand(next), Type::B64);
  code.extra = std::move(extra);
  code.run = runTensor;
}

} // namespace tcgemm::emu
