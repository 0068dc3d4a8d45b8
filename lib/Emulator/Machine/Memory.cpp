//===- Memory.cpp - Global memory -----------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Observer.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

namespace tcgemm::emu {

Shadow::~Shadow() = default;
Extra::~Extra() = default;
ClusterObserver::~ClusterObserver() = default;
LaunchObserver::~LaunchObserver() = default;

uint64_t getHostMemory() {
  static const uint64_t bytes = [] {
    long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && pageBytes > 0 ? uint64_t(pages) * uint64_t(pageBytes)
                                      : UINT64_MAX;
  }();
  return bytes;
}

LazyBytes allocateZeroed(uint64_t bytes) {
  if (bytes > getHostMemory())
    return nullptr;
  // calloc leaves large blocks to the kernel, which zeroes pages on first use.
  return LazyBytes(static_cast<uint8_t *>(std::calloc(bytes ? bytes : 1, 1)));
}

uint64_t GlobalMemory::getRedZone(uint64_t bytes) {
  // The rows of a tile for a buffer of one row. That is enough for larger
  // buffers, too, and leaves room for some thousand allocations.
  constexpr uint64_t kRows = 256, kLeast = 4096, kMost = uint64_t(1) << 26;
  if (bytes > kMost / kRows)
    return kMost;
  return std::max(kLeast, llvm::alignTo(bytes * kRows, kAlignment));
}

llvm::Expected<Region *> GlobalMemory::allocate(uint64_t bytes,
                                                llvm::StringRef name) {
  uint64_t redZone = getRedZone(bytes), left = kSharedWindow - next;
  if (left <= 2 * redZone || bytes > left - 2 * redZone)
    return llvm::createStringError(
        llvm::formatv("cannot allocate {0} bytes: the emulated address space "
                      "has {1} left",
                      bytes, left));
  // The contents, and a flag for each byte.
  uint64_t needed = 2 * bytes, limit = getHostMemory();
  if (held > limit || needed > limit - held)
    return llvm::createStringError(llvm::formatv(
        "cannot allocate {0} bytes: with what is allocated already the "
        "emulator would take {1} bytes, the host has {2}",
        bytes, held + needed, limit));
  auto allocation = std::make_unique<Allocation>();
  allocation->data = allocateZeroed(bytes);
  allocation->defined = allocateZeroed(bytes);
  if (!allocation->data || !allocation->defined)
    return llvm::createStringError(
        llvm::formatv("cannot allocate {0} bytes: out of memory", bytes));
  Region &region = allocation->region;
  region.base = next + redZone;
  region.bytes = bytes;
  region.data = allocation->data.get();
  region.defined = allocation->defined.get();
  region.name = name.str();
  next = llvm::alignTo(region.base + bytes + redZone, kAlignment);
  held += needed;
  regions[region.base] = std::move(allocation);
  return &region;
}

llvm::Error GlobalMemory::free(uint64_t address) {
  auto allocation = regions.find(address);
  if (allocation == regions.end())
    return llvm::createStringError(
        llvm::formatv("no allocation begins at {0:x}", address));
  held -= 2 * allocation->second->region.bytes;
  regions.erase(allocation);
  // Other addresses are not used again, so that accesses to freed memory are
  // found.
  if (regions.empty())
    next = kGlobalStart;
  return llvm::Error::success();
}

Region *GlobalMemory::find(uint64_t address, uint64_t bytes) const {
  auto it = regions.upper_bound(address);
  if (it == regions.begin())
    return nullptr;
  Region &region = std::prev(it)->second->region;
  return region.contains(address, bytes) ? &region : nullptr;
}

const Region *GlobalMemory::findNearest(uint64_t address) const {
  auto after = regions.upper_bound(address);
  const Region *best = nullptr;
  uint64_t distance = ~uint64_t(0);
  if (after != regions.begin()) {
    best = &std::prev(after)->second->region;
    uint64_t end = best->base + best->bytes;
    distance = address < end ? 0 : address - end;
  }
  if (after != regions.end() && after->first - address < distance)
    best = &after->second->region;
  return best;
}

} // namespace tcgemm::emu
