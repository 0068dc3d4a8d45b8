//===- BulkCopy.h - Bulk copies in flight -----------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A bulk copy is done as late as can be: what an mbarrier is told of when
// nobody can go on without, what is written from shared memory when a thread
// waits for its group. So a kernel that reads too early reads what was there
// before, and one that overwrites a source too early copies that.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_BULKCOPY_H
#define TCGEMM_LIB_EMULATOR_MACHINE_BULKCOPY_H

#include "Machine/MBarrier.h"

#include <memory>
#include <vector>

namespace tcgemm::emu {

class Warp;

/// Contiguous bytes, and where they are among those that are copied.
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
  Warp *warp = nullptr; ///< Who has begun it.
  const Instruction *inst = nullptr;
  unsigned lane = 0;
  uint32_t bytes = 0;
  /// What is in no source is zero, what is in no target goes nowhere.
  std::vector<BulkPiece> sources, targets;
  /// The span of the swizzle of the side in shared memory; 0: none.
  uint32_t swizzle = 0;
  BulkReduction reduction = BulkReduction::None;
  ptx::Type type = ptx::Type::None; ///< Of a reduction's elements.
  BulkReducer reduce = nullptr;     ///< Null if there is no reduction.

  MBarrierRef signal; ///< What is told; block is null: nothing.
  uint32_t group = 0; ///< Otherwise: the lane's group.

  /// Of cp.async.mbarrier.arrive: no copy, but the arrival of these lanes,
  /// after their earlier copies.
  uint32_t arrivingLanes = 0;
  uint64_t copiesBefore = 0;

  bool isRead = false;
  std::vector<uint8_t> data, defined; ///< Between reading and writing.

  // The race checker's: who reads and writes, and when.
  uint32_t reader = 0, readTime = 0, writer = 0, writeTime = 0;
  /// The times of warps that came before the copy was begun.
  llvm::SmallVector<uint32_t, 0> earlier;
};

/// The 16-byte chunks of a swizzled row change places by the row's number,
/// which the address tells: `address` without swizzle, to that with.
inline uint64_t swizzle(uint64_t address, uint32_t span) {
  return address ^ ((address >> 3) & (span > 16 ? span - 16 : 0));
}

/// A cluster's copies that are not done.
class BulkQueue {
public:
  void begin(std::unique_ptr<BulkCopy> copy);
  /// Does all that tell this mbarrier; whether there were any.
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
