//===- Memory.h - Memory regions and accesses -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generic address space of the emulated device:
//
//   [2^32, 2^40)           global memory; constant variables too
//   2^40 + shared address  shared memory
//   2^41 + offset          local memory, each thread its own
//   3 * 2^40 + offset      kernel parameters
//   2^42 + index           functions
//
// Shared addresses have 32 bits: [0, 2^24) is the block's own memory, and
// (rank + 1) << 24 that of the cluster's block `rank`.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_MEMORY_H
#define TCGEMM_LIB_EMULATOR_MACHINE_MEMORY_H

#include "Machine/Code.h"
#include "tcgemm/Emulator/Emulator.h"

#include "llvm/Support/Error.h"

#include <array>
#include <map>
#include <memory>
#include <string>

namespace tcgemm::emu {

constexpr uint64_t kGlobalStart = uint64_t(1) << 32;
constexpr uint64_t kSharedWindow = uint64_t(1) << 40;
constexpr uint64_t kLocalWindow = uint64_t(2) << 40;
constexpr uint64_t kParamWindow = uint64_t(3) << 40;
constexpr uint64_t kWindowBytes = uint64_t(1) << 32;
/// Param addresses from here on are the kernel's arguments. Lower ones are in a
/// frame's param memory.
constexpr uint64_t kKernelParams = uint64_t(1) << 31;
/// The address of a function is this plus its index in the module.
constexpr uint64_t kFunctionWindow = uint64_t(4) << 40;
/// The window of a block's shared memory has 2^kSharedRankShift bytes. The
/// system reserves the first KB, as on hardware.
constexpr uint32_t kSharedRankShift = 24;
constexpr uint32_t kSharedReserved = 1024;

/// The base class of the data that a checker attaches to a region.
struct Shadow {
  virtual ~Shadow();
};

/// A contiguous piece of emulated memory, with the definedness of its bytes.
struct Region {
  ptx::Space space = ptx::Space::Global;
  uint64_t base = 0; ///< Address of the first byte in its own space.
  uint64_t bytes = 0;
  uint8_t *data = nullptr;
  /// One flag for each byte: not zero once it was written. Null: all bytes are
  /// defined.
  uint8_t *defined = nullptr;
  bool writable = true;
  std::string name; ///< `"D"`; empty: none.
  Emulator::Shape shape;
  std::unique_ptr<Shadow> shadow; ///< The race checker's.

  bool contains(uint64_t address, uint64_t size) const {
    return address >= base && size <= bytes && address - base <= bytes - size;
  }
};

/// Zeroed memory that takes no host memory until its first access.
struct FreeDeleter {
  void operator()(void *pointer) const { ::free(pointer); }
};
using LazyBytes = std::unique_ptr<uint8_t[], FreeDeleter>;
/// Null if there is not enough memory. The system may promise more than it has,
/// so a request beyond the host's memory fails.
LazyBytes allocateZeroed(uint64_t bytes);
/// Bytes of the host's memory.
uint64_t getHostMemory();

/// Global memory. Allocating and freeing must not overlap with a launch;
/// Several threads may call the other functions at once.
class GlobalMemory {
public:
  static constexpr uint64_t kAlignment = 256;
  /// The unused addresses before and behind an allocation. They are wide, so
  /// that a row beyond a small buffer is not in another buffer.
  static uint64_t getRedZone(uint64_t bytes);

  llvm::Expected<Region *> allocate(uint64_t bytes, llvm::StringRef name);
  llvm::Error free(uint64_t address);
  /// The region that has [address, address + bytes), or null.
  Region *find(uint64_t address, uint64_t bytes) const;
  /// The region that ends or begins nearest to `address`; null if there is
  /// none. For messages.
  const Region *findNearest(uint64_t address) const;
  template <class Fn> void forEach(Fn fn) {
    for (auto &entry : regions)
      fn(entry.second->region);
  }

private:
  struct Allocation {
    Region region;
    LazyBytes data, defined;
  };
  std::map<uint64_t, std::unique_ptr<Allocation>> regions; ///< By base.
  uint64_t next = kGlobalStart;
  uint64_t held = 0; ///< Bytes of the host that the allocations may take.
};

enum class AccessKind : uint8_t { Load, Store, Atomic, CopySource, CopyTarget };

/// Memory-model semantics of an access, `.weak` being the default.
enum class Order : uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  Volatile
};
enum class Scope : uint8_t { Cta, Cluster, Gpu, Sys };

/// One memory access of a warp. A lane accesses getBytes(lane) bytes.
struct LaneAccess {
  const Instruction *inst = nullptr;
  AccessKind kind = AccessKind::Load;
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
  uint32_t bytes = 0;
  /// Null, or by lane the bytes that it accesses, which are `bytes` at most.
  const uint32_t *laneBytes = nullptr;
  uint32_t lanes = 0; ///< The active ones; resolving removes those that fail.
  /// The slots of the stored values, in order. Null: not a store, or unknown.
  const Slot *value = nullptr;
  /// True if all lanes are in one region.
  bool uniform = true;
  /// Per lane: the address within the region's own space, and the region. A
  /// local address is an offset in the local memory of all lanes.
  std::array<uint64_t, kWarpSize> address;
  std::array<Region *, kWarpSize> region;

  uint32_t getBytes(unsigned lane) const {
    return laneBytes ? laneBytes[lane] : bytes;
  }
  uint8_t *data(unsigned lane) const {
    return region[lane]->data + (address[lane] - region[lane]->base);
  }
  /// Null if the region is all defined.
  uint8_t *defined(unsigned lane) const {
    Region *r = region[lane];
    return r->defined ? r->defined + (address[lane] - r->base) : nullptr;
  }
};

/// Calls fn(lane) for every set bit.
template <class Fn> inline void forEachLane(uint32_t lanes, Fn fn) {
  for (; lanes; lanes &= lanes - 1)
    fn(unsigned(__builtin_ctz(lanes)));
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_MEMORY_H
