//===- BulkCopy.h - Bulk copies in flight -----------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A bulk copy takes place as late as possible. A copy that signals an mbarrier
// takes place when no warp can go on without it. A copy in a group takes place
// when a thread waits for the group. So a kernel that reads the target too
// early reads old values, and a kernel that overwrites the source too early
// copies the new values.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_BULKCOPY_H
#define TCGEMM_LIB_EMULATOR_MACHINE_BULKCOPY_H

#include "Machine/MBarrier.h"

#include <memory>
#include <vector>

namespace tcgemm::emu {

class Warp;

/// Contiguous bytes, and their offset `at` in the copied bytes.
struct BulkPiece {
  Region *region = nullptr;
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t at = 0;
};

enum class BulkReduction : uint8_t {
  None,
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor
};

/// Applies a reduction to `bytes` bytes of elements of `type` in `region`.
using BulkReducer = void (*)(BulkReduction op, ptx::Type type,
                             const Region &region, uint8_t *to,
                             const uint8_t *from, uint32_t bytes);

struct BulkCopy {
  Warp *warp = nullptr; ///< The warp that began it.
  const Instruction *inst = nullptr;
  unsigned lane = 0;
  uint32_t bytes = 0;
  /// Bytes without a source are zero. Bytes without a target are dropped.
  std::vector<BulkPiece> sources, targets;
  /// The span of the swizzle in shared memory; 0: no swizzle.
  uint32_t swizzle = 0;
  BulkReduction reduction = BulkReduction::None;
  ptx::Type type = ptx::Type::None; ///< Type of a reduction's elements.
  /// True if the copy rounds each float of the source to tf32.
  bool roundsToTFloat = false;
  BulkReducer reduce = nullptr; ///< Null if there is no reduction.

  MBarrierRef signal; ///< Signalled at the end, unless block is null.
  uint32_t group = 0; ///< Without a signal: the lane's group.

  /// cp.async.mbarrier.arrive has no bytes. It is the arrival of these lanes
  /// after their earlier copies.
  uint32_t arrivingLanes = 0;
  uint64_t copiesBefore = 0;

  bool isRead = false;
  std::vector<uint8_t> data, defined; ///< Between reading and writing.

  // State of the race checker: agents that read and write, and their times.
  uint32_t reader = 0, readTime = 0, writer = 0, writeTime = 0;
  /// Times of warps that happened before the copy began.
  llvm::SmallVector<uint32_t, 0> earlier;
};

/// The swizzled place of an address. A swizzle permutes the 16-byte chunks of a
/// row by the row's number, which the address contains.
inline uint64_t swizzle(uint64_t address, uint32_t span) {
  return address ^ ((address >> 3) & (span > 16 ? span - 16 : 0));
}

/// The copies of a cluster that are in flight.
class BulkQueue {
public:
  void begin(std::unique_ptr<BulkCopy> copy);
  /// Performs the copies that signal this mbarrier. False if there are none.
  bool finishFor(const Block &block, uint32_t mbarrier);
  /// Lets `lanes` wait until at most `pending` groups are left.
  void waitGroups(Warp &warp, uint32_t lanes, uint32_t pending, bool onlyRead);
  /// All warps are done.
  void finishAll();
  /// A block's last thread exits.
  void blockExits(Block &block);

private:
  void read(BulkCopy &copy);
  void finish(BulkCopy &copy);
  std::vector<std::unique_ptr<BulkCopy>> copies;
};

/// Begins `copy` in each of the blocks of `mask` (0: only in the target's),
/// with the mbarrier at the same place as `signal`.
void beginMulticast(std::unique_ptr<BulkCopy> copy, uint32_t mask);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_BULKCOPY_H
