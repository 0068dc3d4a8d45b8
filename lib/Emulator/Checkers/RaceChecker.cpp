//===- RaceChecker.cpp - Race checker -------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/RaceChecker.h"
#include "Checkers/CasLoops.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

RaceChecker::RaceChecker(LaunchContext &launch)
    : launch(launch), sites(launch.program.sites, nullptr),
      isCollective(launch.program.sites, false),
      beginsCas(launch.program.sites, false) {
  for (const FunctionCode &function : launch.program.functions) {
    for (const Instruction *load : findCasLoopLoads(function))
      beginsCas[load->site] = true;
    for (const Instruction &inst : function.instructions) {
      if (inst.site >= sites.size() || !inst.source)
        continue;
      sites[inst.site] = &inst;
      llvm::StringRef opcode = inst.source->opcode;
      isCollective[inst.site] = opcode == "ldmatrix" || opcode == "stmatrix" ||
                                opcode.starts_with("wmma");
    }
  }
  // What no kernel may write needs no shadow: operands are mostly so.
  launch.memory.forEach([](Region &region) {
    if (region.writable && region.bytes)
      region.shadow = std::make_unique<GlobalShadow>(region.bytes,
                                                     region.shape.elementBytes);
  });
}

std::unique_ptr<ClusterObserver> RaceChecker::begin(Cluster &cluster) {
  return std::make_unique<ClusterRaceChecker>(*this, cluster);
}

static std::string describeNoMemory(const Region &region) {
  return llvm::formatv(
      "there is no memory to check {0} bytes of {1} memory for "
      "races",
      region.bytes, ptx::getName(region.space));
}

void RaceChecker::finish(LaunchResult &) {
  launch.memory.forEach([&](Region &region) {
    auto *shadow = static_cast<GlobalShadow *>(region.shadow.get());
    if (shadow && shadow->hasFailed())
      launch.fail(describeNoMemory(region));
    region.shadow.reset();
  });
}

std::unique_ptr<LaunchObserver> createRaceChecker(LaunchContext &launch) {
  return std::make_unique<RaceChecker>(launch);
}

//===----------------------------------------------------------------------===//
// A cluster
//===----------------------------------------------------------------------===//

static uint32_t countWarps(const Cluster &cluster) {
  uint32_t count = 0;
  for (const auto &block : cluster.blocks)
    count += block->warps.size();
  return count;
}

ClusterRaceChecker::ClusterRaceChecker(RaceChecker &parent, Cluster &cluster)
    : parent(parent), cluster(cluster),
      clocks(cluster.index, countWarps(cluster), parent.words) {
  for (const auto &block : cluster.blocks)
    for (const auto &warp : block->warps)
      warps.push_back(warp.get());
  logs.resize(warps.size());
  exitClocks.resize(cluster.blocks.size());
}

void ClusterRaceChecker::note(uint32_t number, uint32_t time,
                              const Instruction &inst) {
  auto &log = logs[number].sites;
  while (time >= log.size() && log.size() < kLogged)
    log.resize(std::max<size_t>(256, log.size() * 2));
  log[time & (log.size() - 1)] = inst.site;
}

/// Gives an access its time; false if races are not told any more.
bool ClusterRaceChecker::start(Warp &warp, const Instruction &inst,
                               GlobalAccessor &me) {
  uint32_t index = warp.clusterIndex;
  clocks.receive(index);
  if (LLVM_UNLIKELY(clocks.isExhausted()))
    return false;
  me.warp = index;
  me.time = clocks.tick(index);
  me.lane = kCollective;
  me.strong = false;
  me.cluster = cluster.index;
  me.clock = &clocks.getKnown(index);
  me.known = me.visible = me.clock->own.data();
  me.site = GlobalShadow::getSiteNumber(inst);
  me.beginsCas = parent.beginsCas[inst.site];
  note(index, me.time, inst);
  if (LLVM_UNLIKELY(clocks.isExhausted())) {
    parent.exhausted = true;
    return false;
  }
  return true;
}

SharedShadow *ClusterRaceChecker::getShadow(Region &region) {
  if (LLVM_UNLIKELY(!region.shadow))
    region.shadow = std::make_unique<SharedShadow>(region.bytes, warps.size());
  auto *shadow = static_cast<SharedShadow *>(region.shadow.get());
  if (LLVM_LIKELY(shadow->isValid()))
    return shadow;
  parent.launch.fail(describeNoMemory(region));
  return nullptr;
}

void ClusterRaceChecker::access(Warp &warp, const LaneAccess &access) {
  if (!access.lanes)
    return;
  const Region &first = *access.region[llvm::countr_zero(access.lanes)];
  if (access.uniform && first.space != ptx::Space::Shared &&
      (first.space != ptx::Space::Global || !first.writable))
    return;
  GlobalAccessor me;
  if (!start(warp, *access.inst, me))
    return;
  bool isCollective = parent.isCollective[access.inst->site];
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

static const char *getVerb(const LaneAccess &access) {
  return access.kind == AccessKind::Atomic       ? "atomic"
         : access.kind == AccessKind::Load       ? "read"
         : access.kind == AccessKind::CopySource ? "asynchronous read"
                                                 : "write";
}

/// ldmatrix: most of what a kernel reads of shared memory.
void ClusterRaceChecker::accessRows(Warp &warp, const LaneAccess &access,
                                    const GlobalAccessor &me) {
  Region &region = *access.region[llvm::countr_zero(access.lanes)];
  SharedShadow *shadow = getShadow(region);
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
  report(warp, {*access.inst, "read", 16, lane, access.address[lane], region},
         other);
}

void ClusterRaceChecker::accessShared(Warp &warp, const LaneAccess &access,
                                      GlobalAccessor me) {
  bool reads = access.kind == AccessKind::Load;
  bool collective = parent.isCollective[access.inst->site];
  const Region *begun = nullptr;
  bool told = false;
  forEachLane(access.lanes, [&](unsigned lane) {
    Region &region = *access.region[lane];
    if (region.space != ptx::Space::Shared)
      return;
    SharedShadow *shadow = getShadow(region);
    if (!shadow)
      return;
    if (LLVM_UNLIKELY(&region != &warp.block.shared))
      noteRemote(cluster.getOwner(region), me.warp, me.time,
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
      told = report(warp,
                    {*access.inst, getVerb(access), access.bytes, lane,
                     access.address[lane], region},
                    other); // Of one execution, one race is enough.
  });
}

void ClusterRaceChecker::accessGlobal(Warp &warp, const LaneAccess &access,
                                      GlobalAccessor me) {
  if (!canTellGlobal(me))
    return;
  bool reads =
      access.kind == AccessKind::Load || access.kind == AccessKind::CopySource;
  bool collective = parent.isCollective[access.inst->site];
  if (!reads && !activeCopies.empty())
    checkSources(warp, access);
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
      told = report(warp,
                    {*access.inst, getVerb(access), bytes, lane,
                     access.address[lane], region},
                    other);
  });
}

void ClusterRaceChecker::synchronise(Warp &warp, const LaneAccess &access) {
  bool writes = access.kind != AccessKind::Load;
  // red returns nothing, and so receives nothing.
  bool reads =
      access.kind == AccessKind::Load || (access.kind == AccessKind::Atomic &&
                                          access.inst->source->opcode != "red");
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region *region = access.region[lane];
    if (region->space != ptx::Space::Global &&
        region->space != ptx::Space::Shared)
      return;
    const void *place = region->space == ptx::Space::Shared ? region : nullptr;
    clocks.access(warp.clusterIndex, place, access.address[lane], reads, writes,
                  access.order, access.scope);
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void ClusterRaceChecker::copyBegin(Warp &warp, const CopyBatch &batch) {
  GlobalAccessor me;
  if (!start(warp, *batch.inst, me))
    return;
  if (batch.source.lanes) {
    LaneAccess source = batch.source;
    source.inst = batch.inst;
    source.kind = AccessKind::CopySource;
    const Region &first = *source.region[llvm::countr_zero(source.lanes)];
    if (!source.uniform || first.writable)
      accessGlobal(warp, source, me);
  }
  const LaneAccess &target = batch.target;
  const Region *begun = nullptr;
  bool told = false;
  forEachLane(batch.lanes & target.lanes, [&](unsigned lane) {
    Region &region = *target.region[lane];
    SharedShadow *shadow =
        region.space == ptx::Space::Shared ? getShadow(region) : nullptr;
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
    // Two lanes that copy the same to one place: strange, but no race.
    if (other.warp == me.warp && other.time == me.time &&
        batch.sourceBytes[lane] == batch.sourceBytes[other.lane] &&
        target.address[lane] == target.address[other.lane] &&
        (!batch.sourceBytes[lane] ||
         !memcmp(batch.source.data(lane), batch.source.data(other.lane),
                 batch.sourceBytes[lane])))
      return;
    report(warp,
           {*batch.inst, "asynchronous write", batch.bytes, lane,
            target.address[lane], region},
           other);
    told = true;
  });
  activeCopies.push_back({&batch, &warp, batch.lanes});
}

void ClusterRaceChecker::copyEnd(Warp &warp, const CopyBatch &batch,
                                 uint32_t lanes) {
  auto it = llvm::find_if(activeCopies, [&](const ActiveCopy &copy) {
    return copy.batch == &batch;
  });
  if (it != activeCopies.end()) {
    it->lanes &= ~lanes;
    if (!it->lanes)
      activeCopies.erase(it);
  }
  GlobalAccessor me;
  if (!start(warp, *batch.inst, me))
    return;
  const LaneAccess &target = batch.target;
  forEachLane(lanes & target.lanes, [&](unsigned lane) {
    Region &region = *target.region[lane];
    SharedShadow *shadow =
        region.space == ptx::Space::Shared ? getShadow(region) : nullptr;
    if (!shadow)
      return;
    me.lane = lane;
    shadow->endCopy(me, target.address[lane] - region.base, batch.bytes);
  });
}

/// A write to what a copy of this cluster is reading.
void ClusterRaceChecker::checkSources(Warp &warp, const LaneAccess &access) {
  const Region *written = access.region[llvm::countr_zero(access.lanes)];
  for (const ActiveCopy &copy : activeCopies) {
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
        warp.report(FindingKind::AsyncRace, *access.inst, lane, from,
                    llvm::Twine(getVerb(access)) + " of " +
                        llvm::Twine(access.bytes) + " bytes at " +
                        describePlace(*access.region[lane], from) +
                        ", which the asynchronous copy of " +
                        describeThread(*copy.warp, other) + " at line " +
                        llvm::Twine(copy.batch->inst->source->line) +
                        " is still reading");
      });
    });
    if (told)
      return;
  }
}

} // namespace tcgemm::emu
