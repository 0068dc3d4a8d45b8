//===- WarpMemory.cpp - Memory accesses of a warp -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/HostAccess.h"

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

/// The region of an address, which becomes one of that region's space; null if
/// there is none.
Region *Warp::findRegion(uint64_t &address, Space space, unsigned lane,
                         uint32_t bytes) {
  if (space == Space::Generic) {
    if (address < kSharedWindow) {
      space = Space::Global;
    } else {
      uint64_t window = address & ~(kWindowBytes - 1);
      address &= kWindowBytes - 1;
      if (window == kSharedWindow)
        space = Space::SharedCluster;
      else if (window == kLocalWindow)
        space = Space::Local;
      else if (window == kParamWindow)
        space = Space::Param;
      else
        return nullptr;
    }
  }
  switch (space) {
  case Space::Global:
  case Space::Const: {
    if (lastGlobal && lastGlobal->contains(address, bytes))
      return lastGlobal;
    Region *region = block.launch().memory.find(address, bytes);
    if (region)
      lastGlobal = region;
    return region;
  }
  case Space::Shared:
  case Space::SharedCluster: {
    Block *owner = &block;
    if (uint64_t window = address >> kSharedRankShift) {
      uint64_t rank = window - 1;
      if (rank >= block.cluster.blocks.size() ||
          (space == Space::Shared && rank != block.rank))
        return nullptr;
      owner = block.cluster.blocks[rank].get();
      address &= (uint64_t(1) << kSharedRankShift) - 1;
    }
    return address >= kSharedReserved && owner->shared.contains(address, bytes)
               ? &owner->shared
               : nullptr;
  }
  case Space::Local: {
    uint64_t end = frame->stackTop[lane];
    if (bytes > end || address > end - bytes)
      return nullptr;
    address += uint64_t(lane) * kLocalBytes;
    return &local;
  }
  case Space::Param: {
    if (address >= kKernelParams) {
      address -= kKernelParams;
      Region &params = block.launch().params;
      return params.contains(address, bytes) ? &params : nullptr;
    }
    uint32_t end = frame->function->paramBytes;
    if (bytes > end || address > end - bytes)
      return nullptr;
    address += uint64_t(lane) * end;
    return &frame->params;
  }
  default:
    return nullptr;
  }
}

void Warp::resolve(LaneAccess &access, const AddressOperand &operand,
                   Space space, uint32_t alignment) {
  uint64_t offset = operand.offset;
  if (operand.wide) {
    const uint64_t *base = lanes<uint64_t>(operand.base);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      access.address[lane] = base[lane] + offset;
  } else {
    // 32-bit addresses stay in their 4 GB.
    const uint32_t *base = lanes<uint32_t>(operand.base);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      access.address[lane] = uint32_t(base[lane] + offset);
  }
  resolveAddresses(access, space, alignment);
}

/// All lanes in the one region that is likely, aligned and in bounds: no need
/// to look at them one by one.
bool Warp::resolveFast(LaneAccess &access, Space space, uint32_t alignment) {
  Region *region = nullptr;
  uint64_t first = 0;
  if (space == Space::Shared) {
    region = &block.shared;
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

void Warp::resolveAddresses(LaneAccess &access, Space space,
                            uint32_t alignment) {
  if (!resolveFast(access, space, alignment)) {
    access.uniform = true;
    Region *common = nullptr;
    uint32_t good = 0;
    forEachLane(access.lanes, [&](unsigned lane) {
      uint64_t address = access.address[lane];
      if (address & (alignment - 1))
        return reportBadAccess(access, FindingKind::Misaligned, lane, address,
                               llvm::formatv("{0} of {1} bytes at {2:x}, which "
                                             "is no multiple of {3}",
                                             describe(access.kind),
                                             access.bytes, address, alignment)
                                   .str());
      uint64_t own = address;
      Region *region = findRegion(own, space, lane, access.bytes);
      if (!region)
        return reportOutOfBounds(access, space, lane, address);
      if (isWrite(access.kind) && !region->writable)
        return reportBadAccess(
            access, FindingKind::ReadOnlyWrite, lane, address,
            llvm::formatv("{0} of {1} bytes at {2:x} in {3}, which is only to "
                          "be read",
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
  bool isCopy = access.kind == AccessKind::CopySource ||
                access.kind == AccessKind::CopyTarget;
  if (!access.lanes)
    return;
  if (!isCopy)
    observe([&](ClusterObserver &o) { o.access(*this, access); });
  if (!isCopy && isWrite(access.kind))
    ++block.cluster.effects;
  if (block.cluster.checksOwners)
    checkOwner(access, isCopy);
}

/// Accesses to memory that has mbarriers, or whose block is gone.
void Warp::checkOwner(const LaneAccess &access, bool isCopy) {
  const Region &region = *access.region[llvm::countr_zero(access.lanes)];
  if (access.uniform && region.space != Space::Shared)
    return;
  if (access.uniform && &region == &block.shared) {
    if (isCopy || !block.mbarrierHigh)
      return;
    uint64_t least = ~uint64_t(0), most = 0;
    forEachLane(access.lanes, [&](unsigned lane) {
      least = std::min(least, access.address[lane]);
      most = std::max(most, access.address[lane]);
    });
    if (least < block.mbarrierHigh && most + access.bytes > block.mbarrierLow)
      checkPlainAccess(*this, access);
    return;
  }
  if (!isCopy)
    checkPlainAccess(*this, access);
  bool told = !block.launch().options.checks.barriers;
  forEachLane(access.lanes, [&](unsigned lane) {
    const Region &each = *access.region[lane];
    if (told || each.space != Space::Shared || &each == &block.shared)
      return;
    const Block &owner = block.cluster.getOwner(each);
    if (owner.getLiveThreads())
      return;
    told = true;
    report(FindingKind::ClusterExit, *access.inst, lane, access.address[lane],
           llvm::formatv("{0} of {1} bytes of block ({2}, {3}, {4}), which has "
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

void Warp::reportBadAccess(const LaneAccess &access, FindingKind kind,
                           unsigned lane, uint64_t address,
                           const std::string &message) {
  if (block.launch().options.checks.bounds)
    report(kind, *access.inst, lane, address, message);
  else
    fail(message);
}

void Warp::reportOutOfBounds(const LaneAccess &access, Space space,
                             unsigned lane, uint64_t address) {
  std::string where;
  if (space == Space::Generic && address < kSharedWindow)
    space = Space::Global;
  if (space == Space::Global || space == Space::Const) {
    if (const Region *near = block.launch().memory.findNearest(address)) {
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
    where = llvm::formatv("the block has [{0:x}, {1:x})", kSharedReserved,
                          block.shared.bytes);
  } else if (space == Space::Local) {
    where = llvm::formatv("the thread has {0} bytes", frame->stackTop[lane]);
  } else {
    where = "no memory is there";
  }
  reportBadAccess(access, FindingKind::OutOfBounds, lane, address,
                  llvm::formatv("{0} of {1} bytes at {2} {3:x}: {4}",
                                describe(access.kind), access.bytes,
                                ptx::getName(space), address, where)
                      .str());
}

//===----------------------------------------------------------------------===//
// Definedness
//===----------------------------------------------------------------------===//

/// Whether all of `bytes` flags are set; each is 0 or 1.
static bool allSet(const uint8_t *flags, uint32_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  while (bytes >= 8) {
    if (loadShared<uint64_t>(flags) != kOnes)
      return false;
    flags += 8;
    bytes -= 8;
  }
  for (; bytes; --bytes)
    if (!loadShared<uint8_t>(flags++))
      return false;
  return true;
}

uint32_t Warp::findUndefined(const LaneAccess &access, uint32_t offset,
                             uint32_t bytes) const {
  if (!checkUndefined)
    return 0;
  uint32_t undefined = 0;
  forEachLane(access.lanes, [&](unsigned lane) {
    const uint8_t *flags = access.defined(lane);
    if (flags && !allSet(flags + offset, bytes))
      undefined |= 1u << lane;
  });
  return undefined;
}

void Warp::markDefined(const LaneAccess &access) const {
  forEachLane(access.lanes, [&](unsigned lane) {
    uint8_t *flags = access.defined(lane);
    if (!flags || allSet(flags, access.bytes))
      return;
    for (uint32_t i = 0; i != access.bytes; ++i)
      storeShared<uint8_t>(flags + i, 1);
  });
}

void Warp::moveDefinedness(const LaneAccess &access, const Slot &slot,
                           uint32_t offset, uint32_t bytes) const {
  uint32_t known =
      slot.id == kNoRegister || !checkUndefined ? ~0u : frame->defined[slot.id];
  forEachLane(access.lanes, [&](unsigned lane) {
    if (uint8_t *flags = access.defined(lane))
      memset(flags + offset, known >> lane & 1, bytes);
  });
}

void Warp::markUndefined(const Slot &slot, uint32_t lanes,
                         const LaneAccess &access) {
  if (!lanes)
    return;
  uint32_t from = access.lanes & lanes ? access.lanes & lanes : access.lanes;
  unsigned lane = from ? llvm::countr_zero(from) : 0;
  markUndefined(slot, lanes,
                UndefinedOrigin{access.inst, access.region[lane]->space,
                                access.address[lane]});
}

void Warp::markUndefined(const Slot &slot, uint32_t lanes,
                         UndefinedOrigin origin) {
  if (!checkUndefined || !lanes || slot.id == kNoRegister)
    return;
  frame->defined[slot.id] &= ~lanes;
  origin.frame = frame;
  for (auto &[id, old] : undefinedOrigins)
    if (id == slot.id && old.frame == frame) {
      old = origin;
      return;
    }
  undefinedOrigins.emplace_back(slot.id, origin);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void Warp::finishCopy(CopyBatch &batch, uint32_t lanes) {
  forEachLane(lanes, [&](unsigned lane) {
    uint8_t *to = batch.target.data(lane);
    uint8_t *defined = batch.target.defined(lane);
    uint32_t read = batch.sourceBytes[lane];
    memset(to + read, 0, batch.bytes - read);
    if (defined)
      memset(defined, 1, batch.bytes);
    if (!read)
      return;
    memcpy(to, batch.source.data(lane), read);
    const uint8_t *from = batch.source.defined(lane);
    if (defined && from)
      memcpy(defined, from, read);
  });
  if (lanes) {
    ++block.cluster.effects;
    observe([&](ClusterObserver &o) { o.copyEnd(*this, batch, lanes); });
  }
  batch.lanes &= ~lanes;
}

void Warp::finishCopies(const std::array<uint32_t, kWarpSize> &limit) {
  for (auto &batch : copies) {
    uint32_t done = 0;
    forEachLane(batch->lanes & exec, [&](unsigned lane) {
      done |= uint32_t(batch->group[lane] < limit[lane]) << lane;
    });
    finishCopy(*batch, done);
  }
  llvm::erase_if(copies, [](const auto &batch) { return !batch->lanes; });
}

void Warp::finishCopies(uint32_t lanes, uint64_t sequence) {
  for (auto &batch : copies)
    if (batch->sequence < sequence)
      finishCopy(*batch, batch->lanes & lanes);
  llvm::erase_if(copies, [](const auto &batch) { return !batch->lanes; });
}

} // namespace tcgemm::emu
