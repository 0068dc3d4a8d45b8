//===- BulkCopy.h - What asynchronous agents copy ------------- -*- C++ -*-===//
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

#ifndef TCGEMM_EMULATOR_BULKCOPY_H
#define TCGEMM_EMULATOR_BULKCOPY_H

#include "MBarrier.h"

#include <memory>
#include <vector>

namespace tcgemm::emu {

class Decoder;
class Modifiers;
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
  ptx::Type type = ptx::Type::None; ///< Of reductions.

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

/// cp.async.bulk and cp.reduce.async.bulk with all that follows.
void decodeBulk(Decoder &d, Modifiers &mods);
void decodeBulkTensor(Decoder &d, Modifiers &mods);
/// st.async and red.async
void decodeStoreAsync(Decoder &d, Modifiers &mods);
/// cp.async.mbarrier.arrive
void decodeCopyArrival(Decoder &d, Modifiers &mods);

/// The lane's mbarrier; block is null if there is none, which has been told.
MBarrierRef findMBarrier(Warp &warp, const Instruction &inst,
                         const AddressOperand &operand, ptx::Space space,
                         unsigned lane);
/// One piece of `bytes` at the lane's address; region is null if that has been
/// reported.
BulkPiece findPiece(Warp &warp, const Instruction &inst,
                    const AddressOperand &operand, ptx::Space space,
                    unsigned lane, uint32_t bytes, bool isTarget,
                    uint32_t alignment = 16);
/// Begins `copy` in each of the blocks of `mask` (0: only in the target's),
/// with the mbarrier at the same place as `signal`.
void beginMulticast(std::unique_ptr<BulkCopy> copy, uint32_t mask);

} // namespace tcgemm::emu

#endif // TCGEMM_EMULATOR_BULKCOPY_H
