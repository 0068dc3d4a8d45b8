//===- WarpMemory.cpp - Memory accesses of a warp -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Space;

static bool isWrite(AccessKind kind) {
  return kind != AccessKind::Load && kind != AccessKind::CopySource;
}

static llvm::StringRef describe(AccessKind kind) {
  switch (kind) {
  case AccessKind::Load:
    return "load";
  case AccessKind::Store:
    return "store";
  case AccessKind::Atomic:
    return "atomic";
  case AccessKind::CopySource:
    return "copy from";
  case AccessKind::CopyTarget:
    return "copy to";
  }
  return "access";
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Replaces a generic address by one of the space that it is in. False if it is
/// in none.
static bool leaveGeneric(uint64_t &address, Space &space) {
  if (address < kSharedWindow) {
    space = Space::Global;
    return true;
  }
  uint64_t window = address & ~(kWindowBytes - 1);
  address &= kWindowBytes - 1;
  if (window == kSharedWindow)
    space = Space::SharedCluster;
  else if (window == kLocalWindow)
    space = Space::Local;
  else if (window == kParamWindow)
    space = Space::Param;
  else
    return false;
  return true;
}

Region *WarpMemory::findRegion(uint64_t &address, Space space, unsigned lane,
                               uint32_t bytes) {
  if (space == Space::Generic && !leaveGeneric(address, space))
    return nullptr;
  switch (space) {
  case Space::Global:
  case Space::Const:
    return findGlobal(address, bytes);
  case Space::Shared:
  case Space::SharedCluster:
    return findShared(address, space, bytes);
  case Space::Local:
    return findLocal(address, lane, bytes);
  case Space::Param:
    return findParam(address, lane, bytes);
  default:
    return nullptr;
  }
}

Region *WarpMemory::findGlobal(uint64_t address, uint32_t bytes) {
  if (lastGlobal && lastGlobal->contains(address, bytes))
    return lastGlobal;
  Region *region = warp.block.launch().memory.find(address, bytes);
  if (region)
    lastGlobal = region;
  return region;
}

Region *WarpMemory::findShared(uint64_t &address, Space space, uint32_t bytes) {
  Block *owner = &warp.block;
  const Cluster &cluster = owner->cluster;
  if (uint64_t window = address >> kSharedRankShift) {
    uint64_t rank = window - 1;
    if (rank >= cluster.blocks.size() ||
        (space == Space::Shared && rank != owner->rank))
      return nullptr;
    owner = cluster.blocks[rank].get();
    address &= (uint64_t(1) << kSharedRankShift) - 1;
  }
  return address >= kSharedReserved && owner->shared.contains(address, bytes)
             ? &owner->shared
             : nullptr;
}

Region *WarpMemory::findLocal(uint64_t &address, unsigned lane,
                              uint32_t bytes) {
  uint64_t end = warp.frame->stackTop[lane];
  if (bytes > end || address > end - bytes)
    return nullptr;
  address += uint64_t(lane) * CallStack::kLocalBytes;
  return &warp.calls.local;
}

Region *WarpMemory::findParam(uint64_t &address, unsigned lane,
                              uint32_t bytes) {
  if (address >= kKernelParams) {
    address -= kKernelParams;
    Region &params = warp.block.launch().params;
    return params.contains(address, bytes) ? &params : nullptr;
  }
  uint32_t end = warp.frame->function->paramBytes;
  if (bytes > end || address > end - bytes)
    return nullptr;
  address += uint64_t(lane) * end;
  return &warp.frame->params;
}

void WarpMemory::resolve(LaneAccess &access, const AddressOperand &operand,
                         Space space, uint32_t alignment) {
  uint64_t offset = operand.offset;
  if (operand.wide) {
    const uint64_t *base = warp.lanes<uint64_t>(operand.base);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      access.address[lane] = base[lane] + offset;
  } else {
    // A 32-bit address wraps around at 4 GB.
    const uint32_t *base = warp.lanes<uint32_t>(operand.base);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      access.address[lane] = uint32_t(base[lane] + offset);
  }
  resolveAddresses(access, space, alignment);
}

bool WarpMemory::resolveFast(LaneAccess &access, Space space,
                             uint32_t alignment) {
  Region *region = nullptr;
  uint64_t first = 0;
  if (space == Space::Shared) {
    region = &warp.block.shared;
    first = kSharedReserved;
  } else if (space == Space::Global || space == Space::Generic) {
    region = lastGlobal;
    if (!region)
      return false;
    first = region->base;
  } else {
    return false;
  }
  uint64_t end = region->base + region->bytes;
  if (access.bytes > region->bytes ||
      (isWrite(access.kind) && !region->writable))
    return false;
  uint64_t last = end - access.bytes;
  uint64_t bad = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    uint64_t address = access.address[lane];
    uint64_t wrong = (address < first) | (address > last) |
                     ((address & (alignment - 1)) != 0);
    bad |= wrong << lane;
  }
  if (bad & access.lanes)
    return false;
  access.region.fill(region);
  access.uniform = true;
  return true;
}

void WarpMemory::resolveLanes(LaneAccess &access, Space space,
                              uint32_t alignment) {
  access.uniform = true;
  Region *common = nullptr;
  uint32_t good = 0;
  forEachLane(access.lanes, [&](unsigned lane) {
    uint64_t address = access.address[lane];
    if (address & (alignment - 1))
      return reportBadAccess(access, FindingKind::Misaligned, lane, address,
                             llvm::formatv("{0} of {1} bytes at {2:x}, which "
                                           "is not a multiple of {3}",
                                           describe(access.kind), access.bytes,
                                           address, alignment)
                                 .str());
    uint64_t own = address;
    Region *region = findRegion(own, space, lane, access.bytes);
    if (!region)
      return reportOutOfBounds(access, space, lane, address);
    if (isWrite(access.kind) && !region->writable)
      return reportBadAccess(
          access, FindingKind::ReadOnlyWrite, lane, address,
          llvm::formatv("{0} of {1} bytes at {2:x} in {3}, which is read-only",
                        describe(access.kind), access.bytes, address,
                        describePlace(*region, own))
              .str());
    access.address[lane] = own;
    access.region[lane] = region;
    access.uniform &= !common || common == region;
    common = region;
    good |= 1u << lane;
  });
  access.lanes = good;
}

void WarpMemory::resolveAddresses(LaneAccess &access, Space space,
                                  uint32_t alignment) {
  if (!resolveFast(access, space, alignment))
    resolveLanes(access, space, alignment);
  bool isCopy = access.kind == AccessKind::CopySource ||
                access.kind == AccessKind::CopyTarget;
  if (!access.lanes)
    return;
  if (!isCopy)
    warp.observe([&](ClusterObserver &o) { o.access(warp, access); });
  if (!isCopy && isWrite(access.kind))
    ++warp.block.cluster.effects;
  if (warp.block.cluster.checksOwners)
    checkOwner(access, isCopy);
}

void WarpMemory::checkOwner(const LaneAccess &access, bool isCopy) {
  const Region &region = *access.region[llvm::countr_zero(access.lanes)];
  if (access.uniform && region.space != Space::Shared)
    return;
  if (access.uniform && &region == &warp.block.shared) {
    if (isCopy || !warp.block.mbarrierHigh)
      return;
    uint64_t least = ~uint64_t(0), most = 0;
    forEachLane(access.lanes, [&](unsigned lane) {
      least = std::min(least, access.address[lane]);
      most = std::max(most, access.address[lane]);
    });
    if (least < warp.block.mbarrierHigh &&
        most + access.bytes > warp.block.mbarrierLow)
      checkPlainAccess(warp, access);
    return;
  }
  if (!isCopy)
    checkPlainAccess(warp, access);
  bool told = !warp.block.launch().options.checks.barriers;
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region &each = *access.region[lane];
    if (told || each.space != Space::Shared || &each == &warp.block.shared)
      return;
    const Block &owner = warp.block.cluster.getOwner(each);
    if (owner.getLiveThreads())
      return;
    told = true;
    warp.report(FindingKind::ClusterExit, *access.inst, lane,
                access.address[lane],
                llvm::formatv(
                    "{0} of {1} bytes of warp.block ({2}, {3}, {4}), which has "
                    "exited",
                    describe(access.kind), access.bytes, owner.id[0],
                    owner.id[1], owner.id[2]));
  });
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string describePlace(const Region &region, uint64_t address) {
  std::string name = region.name.empty() ? std::string("an unnamed buffer")
                                         : "'" + region.name + "'";
  if (region.space != Space::Global)
    return llvm::formatv("{0} {1:x}", ptx::getName(region.space), address);
  uint64_t offset = address - region.base;
  const Emulator::Shape &shape = region.shape;
  if (!shape.elementBytes || !shape.pitch || offset < shape.start)
    return llvm::formatv("{0}+{1}", name, offset);
  offset -= shape.start;
  return llvm::formatv("{0}[{1}, {2}]", name, offset / shape.pitch,
                       offset % shape.pitch / shape.elementBytes);
}

void WarpMemory::reportBadAccess(const LaneAccess &access, FindingKind kind,
                                 unsigned lane, uint64_t address,
                                 const std::string &message) {
  if (warp.block.launch().options.checks.bounds)
    warp.report(kind, *access.inst, lane, address, message);
  else
    warp.fail(message);
}

void WarpMemory::reportOutOfBounds(const LaneAccess &access, Space space,
                                   unsigned lane, uint64_t address) {
  std::string where;
  if (space == Space::Generic && address < kSharedWindow)
    space = Space::Global;
  if (space == Space::Global || space == Space::Const) {
    if (const Region *near = warp.block.launch().memory.findNearest(address)) {
      uint64_t end = near->base + near->bytes;
      std::string name =
          near->name.empty() ? "the nearest buffer" : "'" + near->name + "'";
      if (address < near->base)
        where =
            llvm::formatv("{0} bytes before {1}", near->base - address, name);
      else
        where = llvm::formatv("ends {0} bytes past {1} of {2} bytes",
                              address + access.bytes - end, name, near->bytes);
    } else {
      where = "there are no buffers";
    }
  } else if (space == Space::Shared || space == Space::SharedCluster) {
    where = llvm::formatv("the warp.block has [{0:x}, {1:x})", kSharedReserved,
                          warp.block.shared.bytes);
  } else if (space == Space::Local) {
    where =
        llvm::formatv("the thread has {0} bytes", warp.frame->stackTop[lane]);
  } else {
    where = "no memory is there";
  }
  reportBadAccess(access, FindingKind::OutOfBounds, lane, address,
                  llvm::formatv("{0} of {1} bytes at {2} {3:x}: {4}",
                                describe(access.kind), access.bytes,
                                ptx::getName(space), address, where)
                      .str());
}

} // namespace tcgemm::emu
