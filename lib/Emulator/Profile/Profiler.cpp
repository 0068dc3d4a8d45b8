//===- Profiler.cpp - Profiler --------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Profile/CacheModel.h"
#include "Profile/SharedBanks.h"

namespace tcgemm::emu {

namespace {

/// The counters of a host thread. The clusters of the thread share them.
struct Counts {
  std::vector<SiteProfile> sites; ///< By site; texts are filled at the end.
  uint64_t blocks = 0, warps = 0, barriers = 0;
  uint64_t l2ReadSectors = 0, l2WriteSectors = 0;
  CacheTraffic l2;
};

/// The static properties of an instruction.
struct SiteInfo {
  const Instruction *inst = nullptr;
  bool isBlockBarrier = false;
  bool isMatrix = false; ///< ldmatrix, stmatrix.
  bool isCompareSwap = false;
  bool cachedInL1 = false; ///< Loads that a first-level cache may serve.
  bool bypassesL1 = false; ///< Copies that go past it into shared memory.
};

class Profiler : public LaunchObserver {
public:
  explicit Profiler(LaunchContext &launch);
  std::unique_ptr<ClusterObserver> begin(Cluster &cluster) override;
  bool wantsInstructions() const override { return true; }
  void finish(LaunchResult &result) override;

  Counts *borrow();
  void giveBack(Counts *counts);

  LaunchContext &launch;
  std::vector<SiteInfo> sites;
  SharedCache l2;

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Counts>> all;
  std::vector<Counts *> idle;
};

class ClusterProfiler : public ClusterObserver {
public:
  ClusterProfiler(Profiler &parent, Cluster &cluster);
  ~ClusterProfiler() override { parent.giveBack(&counts); }

  void execute(Warp &warp, const Instruction &inst) override;
  void access(Warp &warp, const LaneAccess &access) override;
  void copyBegin(Warp &warp, const CopyBatch &batch) override;

private:
  void countShared(BankAccess kind, const LaneAccess &access, uint32_t lanes,
                   SiteProfile &site);
  /// For a copy, `copy` has the sizes of the lanes' reads and the targets.
  void countGlobal(Warp &warp, const LaneAccess &access, uint32_t lanes,
                   const CopyBatch *copy, CacheAccess kind,
                   const SiteInfo &info, SiteProfile &site);

  Profiler &parent;
  Counts &counts;
  std::vector<SectorCache> l1; ///< By block.
};

} // namespace

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Returns whether a load may hit the first-level cache. The model does not
/// know the data of other blocks in that cache, so it is small.
static bool isCachedInL1(const ptx::Instruction &inst) {
  bool isCopy = inst.opcode == "cp";
  if (inst.opcode != "ld" && !isCopy)
    return false;
  for (llvm::StringRef modifier : inst.modifiers)
    if (modifier == "cg" || modifier == "cv" || modifier == "volatile" ||
        modifier == "relaxed" || modifier == "acquire" ||
        modifier == "L1::no_allocate")
      return false;
  return true;
}

static bool isBlockBarrier(const ptx::Instruction &inst) {
  if (inst.opcode != "bar" && inst.opcode != "barrier")
    return false;
  return !llvm::is_contained(inst.modifiers, "warp") &&
         !llvm::is_contained(inst.modifiers, "cluster");
}

Profiler::Profiler(LaunchContext &launch)
    : launch(launch), sites(launch.program.sites), l2(launch.options.l2Bytes) {
  for (const FunctionCode &function : launch.program.functions)
    for (const Instruction &inst : function.instructions) {
      if (inst.site >= sites.size() || !inst.source)
        continue;
      const ptx::Instruction &source = *inst.source;
      SiteInfo &info = sites[inst.site];
      info.inst = &inst;
      info.isBlockBarrier = isBlockBarrier(source);
      info.isMatrix =
          source.opcode == "ldmatrix" || source.opcode == "stmatrix";
      info.isCompareSwap = source.opcode == "atom" &&
                           llvm::is_contained(source.modifiers, "cas");
      info.cachedInL1 = isCachedInL1(source);
      info.bypassesL1 = source.opcode == "cp" && !info.cachedInL1;
    }
}

Counts *Profiler::borrow() {
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty()) {
    all.push_back(std::make_unique<Counts>());
    all.back()->sites.resize(sites.size());
    return all.back().get();
  }
  Counts *counts = idle.back();
  idle.pop_back();
  return counts;
}

void Profiler::giveBack(Counts *counts) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(counts);
}

std::unique_ptr<ClusterObserver> Profiler::begin(Cluster &cluster) {
  return std::make_unique<ClusterProfiler>(*this, cluster);
}

/// `ld.global`, `mma.sync`, `cp.async`, `add.s32`.
static std::string getKind(const Instruction &inst) {
  const ptx::Instruction &source = *inst.source;
  std::string kind = source.opcode.str();
  const auto &modifiers = source.modifiers;
  if (modifiers.empty())
    return kind;
  llvm::StringRef opcode = source.opcode;
  bool isAccess = opcode == "ld" || opcode == "ldu" || opcode == "st" ||
                  opcode == "atom" || opcode == "red";
  if (isAccess) {
    auto space = llvm::find_if(modifiers, [](llvm::StringRef each) {
      return each.starts_with("shared") || each == "global" ||
             each == "local" || each == "param" || each == "const";
    });
    return kind + "." +
           (space == modifiers.end() ? "generic"
                                     : space->split("::").first.str());
  }
  if (opcode == "cp" || opcode == "bar" || opcode == "barrier") {
    bool isCopy = opcode == "cp";
    kind += "." + modifiers.front().str();
    for (llvm::StringRef each : llvm::drop_begin(modifiers))
      if (!isCopy || each == "commit_group" || each == "wait_group" ||
          each == "wait_all" || each == "bulk")
        kind += "." + each.str();
    return kind;
  }
  if (opcode == "wmma" || opcode == "wgmma")
    return kind + "." + modifiers.front().str();
  // Arithmetic shows its type; instructions of a whole warp show `.sync`.
  if (llvm::is_contained(modifiers, "sync"))
    return kind + ".sync";
  for (llvm::StringRef each : llvm::reverse(modifiers))
    if (ptx::parseType(each))
      return kind + "." + each.str();
  return kind + "." + modifiers.front().str();
}

void Profiler::finish(LaunchResult &result) {
  Profile &profile = result.profile;
  profile.kernel = launch.function.source->name.str();
  std::vector<SiteProfile> sums(sites.size());
  for (const auto &counts : all) {
    profile.blocks += counts->blocks;
    profile.warps += counts->warps;
    profile.barriers += counts->barriers;
    profile.l2ReadBytes += counts->l2ReadSectors * kSectorBytes;
    profile.l2WriteBytes += counts->l2WriteSectors * kSectorBytes;
    profile.dramReadBytes += counts->l2.fetched * kSectorBytes;
    profile.dramWriteBytes += counts->l2.writtenBack * kSectorBytes;
    for (size_t i = 0; i < sums.size(); ++i) {
      const SiteProfile &from = counts->sites[i];
      SiteProfile &to = sums[i];
      to.executed += from.executed;
      to.threads += from.threads;
      to.wavefronts += from.wavefronts;
      to.idealWavefronts += from.idealWavefronts;
      to.sectors += from.sectors;
      to.idealSectors += from.idealSectors;
      to.asyncBytes += from.asyncBytes;
      to.tensorMacs += from.tensorMacs;
    }
  }
  llvm::SmallVector<std::pair<uint32_t, size_t>, 0> executed; // By line.
  for (size_t i = 0; i < sums.size(); ++i)
    if (sums[i].executed && sites[i].inst)
      executed.push_back({sites[i].inst->source->line, i});
  llvm::sort(executed);
  for (const auto &[line, i] : executed) {
    sums[i].line = line;
    sums[i].kind = getKind(*sites[i].inst);
    profile.sites.push_back(std::move(sums[i]));
  }
}

std::unique_ptr<LaunchObserver> createProfiler(LaunchContext &launch) {
  return std::make_unique<Profiler>(launch);
}

//===----------------------------------------------------------------------===//
// A cluster
//===----------------------------------------------------------------------===//

ClusterProfiler::ClusterProfiler(Profiler &parent, Cluster &cluster)
    : parent(parent), counts(*parent.borrow()) {
  constexpr uint64_t kL1Bytes = 32 << 10;
  for (const auto &block : cluster.blocks) {
    ++counts.blocks;
    counts.warps += block->warps.size();
    l1.emplace_back(kL1Bytes);
  }
}

void ClusterProfiler::execute(Warp &warp, const Instruction &inst) {
  SiteProfile &site = counts.sites[inst.site];
  ++site.executed;
  site.threads += llvm::popcount(warp.exec);
  if (warp.exec)
    site.tensorMacs += inst.tensorMacs;
  if (parent.sites[inst.site].isBlockBarrier)
    ++counts.barriers;
}

void ClusterProfiler::countShared(BankAccess kind, const LaneAccess &access,
                                  uint32_t lanes, SiteProfile &site) {
  BankCount count =
      countBanks(kind, access.bytes, lanes, access.address.data());
  site.wavefronts += count.wavefronts;
  site.idealWavefronts += count.ideal;
}

namespace {
struct Sector {
  uint64_t number;
  uint64_t target; ///< In shared memory, if it bypasses L1.
  uint32_t wanted; ///< A bit for each byte.
};
} // namespace

/// The sectors of a copy that bypasses L1, as ncu counts them: a sector of
/// shared memory once for each 128-byte line that parts of it come from.
static size_t countWritten(llvm::ArrayRef<Sector> sectors) {
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 64> written;
  for (const Sector &sector : sectors)
    written.push_back({sector.number / 4, sector.target});
  llvm::sort(written);
  return std::unique(written.begin(), written.end()) - written.begin();
}

/// The sectors of a request, with the bytes that it wants of each. Requests
/// that bypass L1 fetch a sector once for each sector of shared memory that
/// parts of it go to.
static void collectSectors(const LaneAccess &access, uint32_t lanes,
                           const LaneAccess *target,
                           llvm::SmallVectorImpl<Sector> &sectors) {
  forEachLane(lanes, [&](unsigned lane) {
    uint64_t address = access.address[lane];
    uint64_t end = address + access.getBytes(lane);
    uint64_t place = target ? target->address[lane] / kSectorBytes : 0;
    while (address < end) {
      uint64_t number = address / kSectorBytes;
      uint64_t stop = std::min(end, (number + 1) * kSectorBytes);
      uint32_t wanted = uint32_t((uint64_t(1) << (stop - address)) - 1)
                        << (address % kSectorBytes);
      auto it = llvm::find_if(llvm::reverse(sectors), [&](const Sector &each) {
        return each.number == number && each.target == place;
      });
      if (it == sectors.rend())
        sectors.push_back({number, place, wanted});
      else
        it->wanted |= wanted;
      address = stop;
    }
  });
}

void ClusterProfiler::countGlobal(Warp &warp, const LaneAccess &access,
                                  uint32_t lanes, const CopyBatch *copy,
                                  CacheAccess kind, const SiteInfo &info,
                                  SiteProfile &site) {
  llvm::SmallVector<Sector, 64> sectors;
  collectSectors(access, lanes, info.bypassesL1 ? &copy->target : nullptr,
                 sectors);
  uint64_t wantedBytes = 0;
  for (const Sector &sector : sectors)
    wantedBytes += llvm::popcount(sector.wanted);
  site.sectors += info.bypassesL1 ? countWritten(sectors) : sectors.size();
  site.idealSectors += (wantedBytes + kSectorBytes - 1) / kSectorBytes;

  llvm::sort(sectors, [](const Sector &a, const Sector &b) {
    return a.number < b.number;
  });
  SectorCache &near = l1[warp.block.rank];
  for (size_t i = 0; i < sectors.size();) {
    uint64_t line = sectors[i].number / 4;
    unsigned mask = 0, requests = 0;
    for (; i < sectors.size() && sectors[i].number / 4 == line; ++i) {
      mask |= 1u << sectors[i].number % 4;
      ++requests;
    }
    if (kind != CacheAccess::Read) {
      near.drop(line, mask);
      counts.l2WriteSectors += llvm::popcount(mask);
      parent.l2.access(line, mask, kind, counts.l2);
      continue;
    }
    if (info.cachedInL1) {
      unsigned missing = near.read(line, mask);
      if (!missing)
        continue;
      mask = missing;
      requests = llvm::popcount(missing);
    }
    counts.l2ReadSectors += requests;
    parent.l2.access(line, mask, kind, counts.l2);
  }
}

void ClusterProfiler::access(Warp &warp, const LaneAccess &access) {
  const SiteInfo &info = parent.sites[access.inst->site];
  SiteProfile &site = counts.sites[access.inst->site];
  uint32_t shared = 0, global = 0;
  if (access.uniform && access.lanes) {
    const Region &region = *access.region[llvm::countr_zero(access.lanes)];
    if (region.space == ptx::Space::Shared)
      shared = access.lanes;
    else if (region.space == ptx::Space::Global)
      global = access.lanes;
  } else {
    forEachLane(access.lanes, [&](unsigned lane) {
      ptx::Space space = access.region[lane]->space;
      shared |= uint32_t(space == ptx::Space::Shared) << lane;
      global |= uint32_t(space == ptx::Space::Global) << lane;
    });
  }
  bool isLoad = access.kind == AccessKind::Load;
  if (shared)
    countShared(info.isMatrix                       ? BankAccess::Matrix
                : isLoad                            ? BankAccess::Load
                : info.isCompareSwap                ? BankAccess::CompareSwap
                : access.kind == AccessKind::Atomic ? BankAccess::Atomic
                                                    : BankAccess::Store,
                access, shared, site);
  if (global)
    countGlobal(warp, access, global, nullptr,
                isLoad                              ? CacheAccess::Read
                : access.kind == AccessKind::Atomic ? CacheAccess::Update
                                                    : CacheAccess::Write,
                info, site);
}

void ClusterProfiler::copyBegin(Warp &warp, const CopyBatch &batch) {
  const SiteInfo &info = parent.sites[batch.inst->site];
  SiteProfile &site = counts.sites[batch.inst->site];
  uint32_t lanes = batch.lanes & batch.target.lanes;
  site.asyncBytes += uint64_t(llvm::popcount(lanes)) * batch.bytes;
  countGlobal(warp, batch.source, batch.source.lanes, &batch, CacheAccess::Read,
              info, site);
  BankCount count;
  if (info.bypassesL1) {
    uint32_t padded = 0; // Lanes that write zeros.
    forEachLane(lanes, [&](unsigned lane) {
      padded |= uint32_t(batch.sourceBytes[lane] < batch.bytes) << lane;
    });
    count = countZeroBanks(batch.bytes, padded, batch.target.address.data());
  } else
    count = countCopyBanks(batch.bytes, lanes, batch.source.lanes,
                           batch.source.address.data(),
                           batch.target.address.data());
  site.wavefronts += count.wavefronts;
  site.idealWavefronts += count.ideal;
}

} // namespace tcgemm::emu
