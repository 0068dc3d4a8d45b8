//===- AccessChecker.cpp - Races of plain accesses and copies -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/AccessChecker.h"
#include "Checkers/SharedShadow.h"

namespace tcgemm::emu {

static const char *getVerb(const LaneAccess &access) {
  return access.kind == AccessKind::Atomic       ? "atomic"
         : access.kind == AccessKind::Load       ? "read"
         : access.kind == AccessKind::CopySource ? "asynchronous read"
                                                 : "write";
}

//===----------------------------------------------------------------------===//
// Values of stores
//===----------------------------------------------------------------------===//

/// The bytes of a lane in each slot of a store: those of the widest register,
/// and at least 2.
static unsigned getSlotBytes(const Warp &warp, const ptx::Operand &value,
                             unsigned elementBytes) {
  const auto &registers = warp.frame->function->source->registers;
  unsigned bytes = std::max(elementBytes, 2u);
  auto look = [&](const ptx::Operand &element) {
    if (element.kind == ptx::Operand::Kind::Register)
      bytes =
          std::max(bytes, ptx::getBitWidth(registers[element.reg].type) / 8);
  };
  look(value);
  for (const ptx::Operand &element : value.elements)
    look(element);
  return bytes;
}

/// The value that `lane` stores; false if it is not known.
static bool getStored(Warp &warp, const LaneAccess &access, unsigned lane,
                      uint8_t *out) {
  const Instruction &inst = *access.inst;
  if (!access.value || inst.source->operands.size() < 2)
    return false;
  const ptx::Operand &value = inst.source->operands[1];
  size_t count = inst.operands.size();
  if (!count || access.bytes % count)
    return false;
  unsigned elementBytes = access.bytes / count;
  unsigned slotBytes = getSlotBytes(warp, value, elementBytes);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *lanes = warp.lanes<uint8_t>(access.value[i]);
    memcpy(out + i * elementBytes, lanes + size_t(lane) * slotBytes,
           elementBytes);
  }
  return true;
}

/// Returns whether two lanes of one store put different values into the bytes
/// that they have in common; false if that is not known.
static bool storesDiffer(Warp &warp, const LaneAccess &access, unsigned lane,
                         unsigned otherLane) {
  uint8_t mine[32], others[32];
  if (access.bytes > sizeof(mine) || lane >= kWarpSize ||
      otherLane >= kWarpSize || !getStored(warp, access, lane, mine) ||
      !getStored(warp, access, otherLane, others))
    return false;
  uint64_t a = access.address[lane], b = access.address[otherLane];
  uint64_t from = std::max(a, b), to = std::min(a, b) + access.bytes;
  return from < to &&
         memcmp(mine + (from - a), others + (from - b), to - from) != 0;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void AccessChecker::access(Warp &warp, const LaneAccess &access) {
  if (!access.lanes)
    return;
  const Region &first = *access.region[llvm::countr_zero(access.lanes)];
  if (access.uniform && first.space != ptx::Space::Shared &&
      (first.space != ptx::Space::Global || !first.writable))
    return;
  GlobalAccessor me;
  if (!state.start(warp, *access.inst, me))
    return;
  bool isCollective = state.parent.isCollective[access.inst->site];
  if (isCollective && access.bytes == 16 && access.uniform &&
      access.kind == AccessKind::Load && first.space == ptx::Space::Shared)
    return accessRows(warp, access, me);
  me.strong = access.kind == AccessKind::Atomic || access.order != Order::Weak;
  if (access.uniform && first.space == ptx::Space::Shared) {
    accessShared(warp, access, me);
  } else if (access.uniform) {
    accessGlobal(warp, access, me);
  } else {
    accessShared(warp, access, me);
    accessGlobal(warp, access, me);
  }
  if (me.strong)
    synchronise(warp, access);
}

void AccessChecker::accessRows(Warp &warp, const LaneAccess &access,
                               const GlobalAccessor &me) {
  Region &region = *access.region[llvm::countr_zero(access.lanes)];
  SharedShadow *shadow = state.getShadow(region);
  if (!shadow)
    return;
  uint32_t offsets[kWarpSize];
  unsigned count = 0;
  forEachLane(access.lanes, [&](unsigned lane) {
    offsets[count++] = uint32_t(access.address[lane] - region.base);
  });
  unsigned which = 0;
  RaceParty other;
  if (!shadow->readRows(me, {offsets, count}, which, other))
    return;
  uint32_t lanes = access.lanes;
  for (; which; --which)
    lanes &= lanes - 1;
  unsigned lane = llvm::countr_zero(lanes);
  reporter.report(
      warp, {*access.inst, "read", 16, lane, access.address[lane], region},
      other);
}

void AccessChecker::accessShared(Warp &warp, const LaneAccess &access,
                                 GlobalAccessor me) {
  bool reads = access.kind == AccessKind::Load;
  bool collective = state.parent.isCollective[access.inst->site];
  const Region *begun = nullptr;
  bool told = false;
  forEachLane(access.lanes, [&](unsigned lane) {
    Region &region = *access.region[lane];
    if (region.space != ptx::Space::Shared)
      return;
    SharedShadow *shadow = state.getShadow(region);
    if (!shadow)
      return;
    if (LLVM_UNLIKELY(&region != &warp.block.shared))
      exits.note(state.cluster.getOwner(region), me.warp, me.time,
                 {&warp, access.inst, lane});
    me.lane = collective ? uint8_t(kCollective) : uint8_t(lane);
    uint64_t offset = access.address[lane] - region.base;
    RaceParty other;
    if (reads) {
      if (!shadow->read(me, offset, access.bytes, other))
        return;
    } else {
      if (begun != &region)
        shadow->beginWrites(me);
      begun = &region;
      if (!shadow->write(me, offset, access.bytes, other))
        return;
      if (other.time == me.time && other.warp == me.warp && !other.inFlight &&
          !storesDiffer(warp, access, lane, other.lane))
        return;
    }
    if (!told)
      told = reporter.report(warp,
                             {*access.inst, getVerb(access), access.bytes, lane,
                              access.address[lane], region},
                             other); // One race for each execution is enough.
  });
}

void AccessChecker::accessGlobal(Warp &warp, const LaneAccess &access,
                                 GlobalAccessor me) {
  if (!state.canTellGlobal(me))
    return;
  bool reads =
      access.kind == AccessKind::Load || access.kind == AccessKind::CopySource;
  bool collective = state.parent.isCollective[access.inst->site];
  if (!reads && !sources.empty())
    sources.check(warp, access);
  bool told = false;
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region &region = *access.region[lane];
    if (region.space != ptx::Space::Global || !region.shadow)
      return;
    auto &shadow = static_cast<GlobalShadow &>(*region.shadow);
    me.lane = collective ? uint8_t(kCollective) : uint8_t(lane);
    uint64_t offset = access.address[lane] - region.base;
    GlobalRaceParty other;
    uint32_t bytes = access.getBytes(lane);
    if (reads ? !shadow.read(me, offset, bytes, other)
              : !shadow.write(me, offset, bytes, other))
      return;
    bool sameInstruction = other.cluster == me.cluster &&
                           other.warp == me.warp && other.time == me.time;
    if (sameInstruction && !storesDiffer(warp, access, lane, other.lane))
      return;
    if (!told)
      told = reporter.report(warp,
                             {*access.inst, getVerb(access), bytes, lane,
                              access.address[lane], region},
                             other);
  });
}

void AccessChecker::synchronise(Warp &warp, const LaneAccess &access) {
  bool writes = access.kind != AccessKind::Load;
  // red has no result, so it does not receive anything.
  bool reads =
      access.kind == AccessKind::Load || (access.kind == AccessKind::Atomic &&
                                          access.inst->source->opcode != "red");
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region *region = access.region[lane];
    if (region->space != ptx::Space::Global &&
        region->space != ptx::Space::Shared)
      return;
    const void *place = region->space == ptx::Space::Shared ? region : nullptr;
    state.clocks.access(warp.clusterIndex, place, access.address[lane], reads,
                        writes, access.order, access.scope);
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void AccessChecker::copyBegin(Warp &warp, const CopyBatch &batch) {
  GlobalAccessor me;
  if (!state.start(warp, *batch.inst, me))
    return;
  if (batch.source.lanes) {
    LaneAccess source = batch.source;
    source.inst = batch.inst;
    source.kind = AccessKind::CopySource;
    const Region &first = *source.region[llvm::countr_zero(source.lanes)];
    if (!source.uniform || first.writable)
      accessGlobal(warp, source, me);
  }
  writeCopy(warp, batch, me);
  sources.begin(warp, batch);
}

void AccessChecker::writeCopy(Warp &warp, const CopyBatch &batch,
                              GlobalAccessor me) {
  const LaneAccess &target = batch.target;
  const Region *begun = nullptr;
  bool told = false;
  forEachLane(batch.lanes & target.lanes, [&](unsigned lane) {
    Region &region = *target.region[lane];
    SharedShadow *shadow =
        region.space == ptx::Space::Shared ? state.getShadow(region) : nullptr;
    if (!shadow)
      return;
    me.lane = lane;
    if (begun != &region)
      shadow->beginWrites(me);
    begun = &region;
    RaceParty other;
    if (!shadow->beginCopy(me, target.address[lane] - region.base, batch.bytes,
                           other) ||
        told)
      return;
    // Two lanes that copy the same bytes to one place do not race.
    if (other.warp == me.warp && other.time == me.time &&
        batch.sourceBytes[lane] == batch.sourceBytes[other.lane] &&
        target.address[lane] == target.address[other.lane] &&
        (!batch.sourceBytes[lane] ||
         !memcmp(batch.source.data(lane), batch.source.data(other.lane),
                 batch.sourceBytes[lane])))
      return;
    reporter.report(warp,
                    {*batch.inst, "asynchronous write", batch.bytes, lane,
                     target.address[lane], region},
                    other);
    told = true;
  });
}

void AccessChecker::copyEnd(Warp &warp, const CopyBatch &batch,
                            uint32_t lanes) {
  sources.end(batch, lanes);
  GlobalAccessor me;
  if (!state.start(warp, *batch.inst, me))
    return;
  const LaneAccess &target = batch.target;
  forEachLane(lanes & target.lanes, [&](unsigned lane) {
    Region &region = *target.region[lane];
    SharedShadow *shadow =
        region.space == ptx::Space::Shared ? state.getShadow(region) : nullptr;
    if (!shadow)
      return;
    me.lane = lane;
    shadow->endCopy(me, target.address[lane] - region.base, batch.bytes);
  });
}

//===----------------------------------------------------------------------===//
// Sources of copies
//===----------------------------------------------------------------------===//

void CopySources::end(const CopyBatch &batch, uint32_t lanes) {
  auto it = llvm::find_if(
      copies, [&](const ActiveCopy &copy) { return copy.batch == &batch; });
  if (it == copies.end())
    return;
  it->lanes &= ~lanes;
  if (!it->lanes)
    copies.erase(it);
}

void CopySources::check(Warp &warp, const LaneAccess &access) {
  const Region *written = access.region[llvm::countr_zero(access.lanes)];
  for (const ActiveCopy &copy : copies) {
    const LaneAccess &source = copy.batch->source;
    uint32_t sources = copy.lanes & source.lanes;
    if (!sources || (access.uniform && source.uniform &&
                     source.region[llvm::countr_zero(sources)] != written))
      continue;
    bool told = false;
    forEachLane(access.lanes, [&](unsigned lane) {
      uint64_t from = access.address[lane], to = from + access.bytes;
      forEachLane(told ? 0 : sources, [&](unsigned other) {
        uint64_t first = source.address[other];
        if (told || source.region[other] != access.region[lane] ||
            first >= to || from >= first + copy.batch->sourceBytes[other])
          return;
        told = true;
        warp.report(
            FindingKind::AsyncRace, *access.inst, lane, from,
            llvm::Twine(getVerb(access)) + " of " + llvm::Twine(access.bytes) +
                " bytes at " + describePlace(*access.region[lane], from) +
                ", which the asynchronous copy of " +
                reporter.describeThread(*copy.warp, other) + " at line " +
                llvm::Twine(copy.batch->inst->source->line) +
                " is still reading");
      });
    });
    if (told)
      return;
  }
}

} // namespace tcgemm::emu
