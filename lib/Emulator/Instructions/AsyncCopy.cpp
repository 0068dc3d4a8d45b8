//===- AsyncCopy.cpp - cp.async -------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy takes place as late as the ISA allows, when the thread waits for its
// group. So a kernel that reads too early reads old values.
//
//===----------------------------------------------------------------------===//

#include "Instructions/BulkCopyOps.h"
#include "Instructions/MemoryOrder.h"
#include "Machine/Block.h"
#include "Machine/Decoder.h"

namespace tcgemm::emu {

using ptx::Space;
using ptx::Type;

/// Resolves the sources of a batch. Lanes may read different sizes, so lanes of
/// one size are resolved at a time.
static void resolveSources(Warp &warp, const Instruction &inst,
                           CopyBatch &batch) {
  LaneAccess &source = batch.source;
  uint32_t rest = batch.lanes, good = 0;
  bool uniform = true;
  Region *common = nullptr;
  while (rest) {
    uint32_t size = batch.sourceBytes[llvm::countr_zero(rest)];
    uint32_t same = 0;
    forEachLane(rest, [&](unsigned lane) {
      same |= uint32_t(batch.sourceBytes[lane] == size) << lane;
    });
    rest &= ~same;
    if (!size)
      continue;
    LaneAccess part;
    part.inst = &inst;
    part.kind = AccessKind::CopySource;
    part.bytes = size;
    part.lanes = same;
    warp.memory.resolve(part, inst.address2, inst.space2, batch.bytes);
    good |= part.lanes;
    forEachLane(same, [&](unsigned lane) {
      if (!(part.lanes >> lane & 1)) {
        batch.sourceBytes[lane] = 0; // Reported; copied as zeros.
        return;
      }
      source.address[lane] = part.address[lane];
      source.region[lane] = part.region[lane];
      uniform &= !common || common == part.region[lane];
      common = part.region[lane];
    });
  }
  source.inst = &inst;
  source.kind = AccessKind::CopySource;
  source.bytes = batch.bytes;
  source.laneBytes = batch.sourceBytes.data();
  source.lanes = good;
  source.uniform = uniform;
}

/// operands: the bytes to read, per lane (imm: 0), or a predicate that makes
/// them zero (imm: 1).
static Outcome runCopy(Warp &warp, const Instruction &inst) {
  auto batch = std::make_unique<CopyBatch>();
  batch->inst = &inst;
  batch->bytes = inst.bytes;
  LaneAccess &target = batch->target;
  target.inst = &inst;
  target.kind = AccessKind::CopyTarget;
  target.bytes = inst.bytes;
  target.lanes = warp.exec;
  warp.memory.resolve(target, inst.address, inst.space, inst.bytes);
  batch->lanes = target.lanes;
  if (inst.imm == 0) {
    const uint32_t *size = warp.lanes<uint32_t>(inst.operands[0]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      batch->sourceBytes[lane] = size[lane];
    uint32_t tooMuch = 0;
    forEachLane(batch->lanes, [&](unsigned lane) {
      tooMuch |= uint32_t(size[lane] > inst.bytes) << lane;
    });
    if (tooMuch)
      return warp.fail("src-size is greater than cp-size");
  } else {
    uint32_t ignored = warp.mask(inst.operands[0]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      batch->sourceBytes[lane] = ignored >> lane & 1 ? 0 : inst.bytes;
  }
  batch->group = warp.asyncCopies.committed;
  batch->sequence = warp.asyncCopies.sequence++;
  resolveSources(warp, inst, *batch);
  if (!batch->lanes)
    return Outcome::Next;
  warp.observe([&](ClusterObserver &o) { o.copyBegin(warp, *batch); });
  warp.asyncCopies.begin(std::move(batch));
  return Outcome::Next;
}

static Outcome runCommit(Warp &warp, const Instruction &) {
  forEachLane(warp.exec,
              [&](unsigned lane) { ++warp.asyncCopies.committed[lane]; });
  return Outcome::Next;
}

/// imm: how many of the latest groups may be pending.
static Outcome runWaitGroup(Warp &warp, const Instruction &inst) {
  std::array<uint32_t, kWarpSize> limit;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    uint32_t committed = warp.asyncCopies.committed[lane];
    limit[lane] = committed > inst.imm ? committed - inst.imm : 0;
  }
  warp.asyncCopies.finish(limit);
  return Outcome::Next;
}

static Outcome runWaitAll(Warp &warp, const Instruction &inst) {
  runCommit(warp, inst);
  std::array<uint32_t, kWarpSize> limit;
  limit.fill(UINT32_MAX);
  warp.asyncCopies.finish(limit);
  return Outcome::Next;
}

static void decodeCopy(Decoder &d, Modifiers &mods) {
  bool all = mods.take("ca");
  bool global = mods.take("cg");
  if (all == global)
    return d.fail("one of .ca and .cg is needed");
  bool toShared = mods.take("shared") || mods.take("shared::cta");
  if (!toShared || !mods.take("global"))
    return d.fail("cp.async copies from .global to .shared");
  takeCacheHints(mods);
  if (!d.expectOperands(3, 5))
    return;
  Instruction &code = *d.code;
  code.space = Space::Shared;
  code.space2 = Space::Global;
  code.address = d.address(0u, Space::Shared);
  code.address2 = d.address(1u, Space::Global);
  uint64_t bytes = d.immediate(2u);
  if (bytes != 16 && (global || (bytes != 4 && bytes != 8)))
    return d.fail("cp-size must be 16, or with .ca also 4 or 8");
  code.bytes = bytes;
  // A 64-bit operand is a cache policy. It does not change results.
  const ptx::Operand *size = nullptr;
  if (d.getNumOperands() > 3 &&
      getSlotBytes(d.getRegisterType(d.operand(3))) != 8)
    size = &d.operand(3);
  code.imm = size && d.getRegisterType(*size) == Type::Pred;
  if (!size)
    code.operands.push_back(d.constant(bytes, Type::U32));
  else
    d.src(*size, code.imm ? Type::Pred : Type::U32);
  code.run = runCopy;
}

static void decodeAsync(Decoder &d, Modifiers &mods) {
  if (d.getSource().modifiers.size() && d.getSource().modifiers[0] == "reduce")
    return decodeBulk(d, mods);
  if (!mods.take("async"))
    return d.fail("only cp.async and cp.reduce.async are supported");
  if (mods.take("bulk"))
    return decodeBulk(d, mods);
  if (mods.take("mbarrier"))
    return decodeCopyArrival(d, mods);
  if (mods.take("commit_group")) {
    d.expectOperands(0);
    d.code->run = runCommit;
  } else if (mods.take("wait_group")) {
    if (d.expectOperands(1))
      d.code->imm = d.immediate(0u);
    d.code->run = runWaitGroup;
  } else if (mods.take("wait_all")) {
    d.expectOperands(0);
    d.code->run = runWaitAll;
  } else {
    decodeCopy(d, mods);
  }
}

llvm::ArrayRef<FamilyEntry> getAsyncCopyFamily() {
  static constexpr FamilyEntry kFamily[] = {{"cp", decodeAsync}};
  return kFamily;
}

} // namespace tcgemm::emu
