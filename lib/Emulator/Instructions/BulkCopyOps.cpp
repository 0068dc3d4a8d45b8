//===- BulkCopyOps.cpp - cp.async.bulk, st.async, red.async ---------------===//
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

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

//===----------------------------------------------------------------------===//
// Helpers of other families
//===----------------------------------------------------------------------===//

BulkPiece findPiece(Warp &warp, const Instruction &inst,
                    const AddressOperand &operand, Space space, unsigned lane,
                    uint32_t bytes, bool isTarget, uint32_t alignment) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = isTarget ? AccessKind::CopyTarget : AccessKind::CopySource;
  access.bytes = bytes;
  access.lanes = 1u << lane;
  warp.memory.resolve(access, operand, space, alignment);
  if (!access.lanes)
    return {};
  checkPlainAccess(warp, access);
  return {access.region[lane], access.address[lane], bytes, 0};
}

void setReduction(BulkCopy &copy, BulkReduction op, Type type) {
  copy.reduction = op;
  copy.type = type;
  copy.reduce = op == BulkReduction::None ? nullptr : reduceBytes;
}

namespace {
struct BulkExtra : Extra {
  AddressOperand mbarrier;
  Space mbarrierSpace = Space::Shared;
  bool signals = false; ///< It signals an mbarrier; otherwise it is in a group.
  bool multicasts = false;
  BulkReduction reduction = BulkReduction::None;
  Type type = Type::None;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies of bytes
//===----------------------------------------------------------------------===//

/// operands: the size [, the blocks of a multicast].
static Outcome runBulk(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const BulkExtra &>(*inst.extra);
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    uint32_t bytes = warp.lanes<uint32_t>(inst.operands[0])[lane];
    if (failed || !bytes)
      return;
    if (bytes % 16) {
      warp.fail(llvm::formatv("{0} bytes are not a multiple of 16", bytes));
      failed = true;
      return;
    }
    auto copy = std::make_unique<BulkCopy>();
    copy->warp = &warp;
    copy->inst = &inst;
    copy->lane = lane;
    copy->bytes = bytes;
    setReduction(*copy, extra.reduction, extra.type);
    copy->group = warp.asyncCopies.bulkGroups[lane];
    BulkPiece target = findPiece(warp, inst, inst.address, inst.space, lane,
                                 bytes, /*isTarget=*/true);
    BulkPiece source = findPiece(warp, inst, inst.address2, inst.space2, lane,
                                 bytes, /*isTarget=*/false);
    if (!target.region || !source.region)
      return; // Reported; an mbarrier that it was to tell waits for ever.
    copy->sources.push_back(source);
    copy->targets.push_back(target);
    if (extra.signals) {
      copy->signal =
          findMBarrier(warp, inst, extra.mbarrier, extra.mbarrierSpace, lane);
      if (!copy->signal.block) {
        failed = true;
        return;
      }
    }
    uint32_t mask =
        extra.multicasts ? warp.lanes<uint16_t>(inst.operands[1])[lane] : 0;
    beginMulticast(std::move(copy), mask);
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

static Outcome runCommit(Warp &warp, const Instruction &) {
  forEachLane(warp.exec,
              [&](unsigned lane) { ++warp.asyncCopies.bulkGroups[lane]; });
  return Outcome::Next;
}

/// imm: the number of groups that may be pending; imm2: whether the wait is for
/// the reads only.
static Outcome runWait(Warp &warp, const Instruction &inst) {
  warp.block.cluster.bulk.waitGroups(warp, warp.exec, inst.imm, inst.imm2);
  return Outcome::Next;
}

static Outcome runNothing(Warp &, const Instruction &) { return Outcome::Next; }

static std::optional<BulkReduction> takeReduction(Modifiers &mods) {
  auto op =
      mods.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (!op)
    return std::nullopt;
  return BulkReduction(*op + 1);
}

static void decodePrefetch(Decoder &d, Modifiers &mods) {
  mods.takeOneOf({"L2"});
  mods.takeOneOf({"L2::cache_hint"});
  mods.take("global");
  if (!d.expectOperands(2, 3))
    return;
  d.address(0u, Space::Global);
  d.getSourceSlot(d.operand(1), Type::U32);
  d.code->run = runNothing;
}

/// `.dst.src`, in this order.
static bool takeSpaces(const Decoder &d, Modifiers &mods, Space &to,
                       Space &from) {
  unsigned found = 0;
  for (llvm::StringRef name : d.getSource().modifiers) {
    Space space = name == "global"            ? Space::Global
                  : name == "shared::cta"     ? Space::Shared
                  : name == "shared::cluster" ? Space::SharedCluster
                                              : Space::Generic;
    if (space == Space::Generic)
      continue;
    mods.take(name);
    (found++ ? from : to) = space;
  }
  return found == 2;
}

static void decodeBulkCopy(Decoder &d, Modifiers &mods, bool isReduction) {
  auto extra = std::make_unique<BulkExtra>();
  Instruction &code = *d.code;
  if (!takeSpaces(d, mods, code.space, code.space2))
    return d.fail("a destination's and a source's space are needed");
  extra->signals = mods.take("mbarrier::complete_tx::bytes");
  if (!extra->signals && !mods.take("bulk_group"))
    return d.fail("the completion mechanism is missing");
  if (extra->signals != (code.space != Space::Global))
    return d.fail("copies to shared memory tell an mbarrier, those to global "
                  "memory are in groups");
  extra->multicasts = mods.take("multicast::cluster");
  bool hasHint = mods.take("L2::cache_hint");
  if (mods.take("cp_mask"))
    return d.fail(".cp_mask is not supported");
  if (isReduction) {
    auto reduction = takeReduction(mods);
    mods.take("noftz");
    auto type = mods.takeType();
    if (!reduction || !type)
      return d.fail("the reduction or its type is missing");
    if (!canReduce(*reduction, *type))
      return d.fail("this reduction is not supported");
    extra->reduction = *reduction;
    extra->type = *type;
  }
  unsigned count = 3 + extra->signals + extra->multicasts + hasHint;
  if (!d.expectOperands(count))
    return;
  code.address = d.address(0u, code.space);
  code.address2 = d.address(1u, code.space2);
  d.src(2u, Type::U32);
  unsigned next = 3;
  if (extra->signals) {
    extra->mbarrierSpace = code.space;
    extra->mbarrier = d.address(next++, code.space);
  }
  if (extra->multicasts)
    d.src(next++, Type::B16);
  if (hasHint)
    d.getSourceSlot(d.operand(next), Type::B64);
  code.extra = std::move(extra);
  code.run = runBulk;
}

void decodeBulk(Decoder &d, Modifiers &mods) {
  d.parent.program.usesAsyncProxy = true;
  bool isReduction = mods.take("reduce");
  if (isReduction && (!mods.take("async") || !mods.take("bulk")))
    return d.fail("only cp.reduce.async.bulk is supported");
  if (mods.take("commit_group")) {
    d.expectOperands(0);
    d.code->run = runCommit;
  } else if (mods.take("wait_group")) {
    d.code->imm2 = mods.take("read");
    if (d.expectOperands(1))
      d.code->imm = d.immediate(0u);
    d.code->run = runWait;
  } else if (llvm::is_contained(d.getSource().modifiers, "tensor")) {
    decodeBulkTensor(d, mods);
  } else if (mods.take("prefetch")) {
    decodePrefetch(d, mods);
  } else {
    decodeBulkCopy(d, mods, isReduction);
  }
}

//===----------------------------------------------------------------------===//
// cp.async.mbarrier.arrive
//===----------------------------------------------------------------------===//

/// imm: whether the arrival is among those that the mbarrier expects.
static Outcome runCopyArrival(Warp &warp, const Instruction &inst) {
  Cluster &cluster = warp.block.cluster;
  uint32_t rest = warp.exec;
  while (rest) {
    unsigned lane = llvm::countr_zero(rest);
    MBarrierRef where =
        findMBarrier(warp, inst, inst.address, inst.space, lane);
    if (!where.block)
      return Outcome::Failed;
    uint32_t same = 1u << lane;
    // Lanes that arrive at one mbarrier do so together.
    forEachLane(rest & ~same, [&](unsigned other) {
      if (warp.effectiveAddress(inst.address, other) ==
          warp.effectiveAddress(inst.address, lane))
        same |= 1u << other;
    });
    rest &= ~same;
    if (!inst.imm)
      where.find()->pending += llvm::popcount(same);
    auto copy = std::make_unique<BulkCopy>();
    copy->warp = &warp;
    copy->inst = &inst;
    copy->lane = lane;
    copy->signal = where;
    copy->arrivingLanes = same;
    copy->copiesBefore = warp.asyncCopies.sequence;
    cluster.bulk.begin(std::move(copy));
  }
  return Outcome::Next;
}

void decodeCopyArrival(Decoder &d, Modifiers &mods) {
  mods.take("b64");
  d.code->space = mods.takeSpace();
  d.code->imm = mods.take("noinc");
  if (!mods.take("arrive") || !d.expectOperands(1))
    return d.fail("cp.async.mbarrier.arrive takes an mbarrier");
  d.code->address = d.address(0u, d.code->space);
  d.code->run = runCopyArrival;
}

//===----------------------------------------------------------------------===//
// st.async, red.async
//===----------------------------------------------------------------------===//

/// operands: the values; bytes: of all of them.
static Outcome runStoreAsync(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const BulkExtra &>(*inst.extra);
  bool failed = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    BulkPiece target = findPiece(warp, inst, inst.address, inst.space, lane,
                                 inst.bytes, /*isTarget=*/true, inst.bytes);
    MBarrierRef signal =
        findMBarrier(warp, inst, extra.mbarrier, extra.mbarrierSpace, lane);
    failed |= !signal.block;
    if (!target.region || !signal.block)
      return;
    auto copy = std::make_unique<BulkCopy>();
    copy->warp = &warp;
    copy->inst = &inst;
    copy->lane = lane;
    copy->bytes = inst.bytes;
    setReduction(*copy, extra.reduction, extra.type);
    copy->signal = signal;
    copy->targets.push_back(target);
    copy->isRead = true;
    copy->data.resize(inst.bytes);
    copy->defined.assign(inst.bytes, 1);
    size_t each = inst.bytes / inst.operands.size();
    for (size_t i = 0; i < inst.operands.size(); ++i)
      memcpy(&copy->data[i * each],
             warp.lanes<uint8_t>(inst.operands[i]) + lane * each, each);
    beginMulticast(std::move(copy), 0);
  });
  return failed ? Outcome::Failed : Outcome::Next;
}

void decodeStoreAsync(Decoder &d, Modifiers &mods) {
  d.parent.program.usesAsyncProxy = true;
  auto extra = std::make_unique<BulkExtra>();
  Instruction &code = *d.code;
  mods.take("async");
  mods.takeOneOf({"weak", "relaxed"});
  mods.take("cluster");
  if (!mods.take("mbarrier::complete_tx::bytes"))
    return d.fail("the completion mechanism is missing");
  code.space = mods.takeSpace();
  if (d.getSource().opcode == "red") {
    auto reduction = takeReduction(mods);
    if (!reduction)
      return d.fail("the reduction is missing");
    extra->reduction = *reduction;
  }
  unsigned count = mods.take("v4") ? 4 : mods.take("v2") ? 2 : 1;
  auto type = mods.takeType();
  if (!type || !d.expectOperands(3))
    return d.fail("an address, a value and an mbarrier are needed");
  if (extra->reduction != BulkReduction::None &&
      !canReduce(extra->reduction, *type))
    return d.fail("this reduction is not supported");
  extra->type = *type;
  code.address = d.address(0u, code.space);
  d.src(1u, *type, count);
  extra->mbarrier = d.address(2u, code.space);
  extra->mbarrierSpace = code.space;
  code.bytes = count * ptx::getBitWidth(*type) / 8;
  code.extra = std::move(extra);
  code.run = runStoreAsync;
}

} // namespace tcgemm::emu
