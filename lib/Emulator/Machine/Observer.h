//===- Observer.h - Observers of a launch -----------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkers and counters see a launch through these two interfaces. A cluster
// (of one block, if the launch has none) runs on one host thread at a time, so
// a ClusterObserver needs no locks for its own state. State that clusters share
// is in the LaunchObserver or in a Region's shadow, and needs locks.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H

#include "Machine/Memory.h"

namespace tcgemm::emu {

class Block;
class Cluster;
struct LaunchContext;

/// The asynchronous copies of the lanes of one cp.async.
struct CopyBatch {
  const Instruction *inst = nullptr;
  uint32_t lanes = 0; ///< Not yet done.
  uint32_t bytes = 0; ///< Written a lane.
  LaneAccess source;  ///< Lanes with nothing to read are not in its mask.
  LaneAccess target;
  std::array<uint32_t, kWarpSize> sourceBytes; ///< Read; the rest is zeros.
  uint64_t sequence = 0;                       ///< Counts the warp's batches.
  /// By lane: the number of groups that were committed before the copy.
  std::array<uint32_t, kWarpSize> group;
};

/// The name of a barrier or of a word of memory that synchronises.
struct SyncKey {
  enum class Kind : uint8_t { Barrier, ClusterBarrier, Word, MBarrier } kind;
  /// block << 8 | barrier; or an address; or block << 32 | address.
  uint64_t id;
  uint64_t phase = 0; ///< For an mbarrier: the phase of the arrival or wait.
  /// The barrier has no number of threads, so exits count as arrivals.
  bool countsExits = false;
};

struct BulkCopy;
struct WgmmaOp;

class ClusterObserver {
public:
  virtual ~ClusterObserver();
  /// A warp is about to execute an instruction for the lanes warp.exec. Called
  /// only if the launch observer asks for it.
  virtual void execute(Warp &warp, const Instruction &inst) {}
  /// A resolved access is about to take place. Copies are reported by the next
  /// two functions instead.
  virtual void access(Warp &warp, const LaneAccess &access) {}
  virtual void copyBegin(Warp &warp, const CopyBatch &batch) {}
  /// The copies of `lanes` have become visible to their own threads.
  virtual void copyEnd(Warp &warp, const CopyBatch &batch, uint32_t lanes) {}
  /// The warp is about to arrive at a barrier for threads, or at an mbarrier.
  virtual void arrive(Warp &warp, const Instruction &inst, unsigned lane,
                      SyncKey key) {}
  /// A release makes the earlier accesses of the warp visible through `key`; an
  /// acquire receives them. An arrival at a barrier releases, and the end of
  /// the wait acquires.
  virtual void release(Warp &warp, SyncKey key) {}
  /// An arrival without release semantics. It makes visible what earlier fences
  /// have covered.
  virtual void releaseFenced(Warp &warp, SyncKey key) {}
  virtual void acquire(Warp &warp, SyncKey key) {}
  virtual void syncWarp(Warp &warp, uint32_t lanes) {}
  virtual void fence(Warp &warp, Scope scope) {}
  virtual void exit(Warp &warp) {}
  /// griddepcontrol.wait, by the lanes warp.exec.
  virtual void waitForGrids(Warp &warp) {}

  // Asynchronous agents ------------------------------------------------------

  /// A bulk copy has begun. From now on its source must not change, and its
  /// target must not be accessed.
  virtual void bulkBegin(Warp &warp, BulkCopy &copy) {}
  /// The copy has ended. It signals an mbarrier in the phase of `key`.
  virtual void bulkEnd(BulkCopy &copy, SyncKey key) {}
  /// The thread has waited for the end of the copy (or for the end of its
  /// reads).
  virtual void bulkWaited(Warp &warp, const BulkCopy &copy, bool onlyRead) {}
  /// fence.proxy.async
  virtual void proxyFence(Warp &warp) {}
  /// A warp has issued its part of a wgmma.mma_async.
  virtual void wgmmaBegin(Warp &warp, WgmmaOp &op) {}
  virtual void wgmmaWaited(Warp &warp, const WgmmaOp &op) {}
  /// The warp is about to arrive at another block's mbarrier.
  virtual void arriveRemote(Warp &warp, const Instruction &inst, unsigned lane,
                            Block &owner) {}

  // mbarriers ----------------------------------------------------------------

  virtual void initMBarrier(Warp &warp, SyncKey key) {}
  /// fence.mbarrier_init
  virtual void fenceInit(Warp &warp) {}
  /// Any other operation on the mbarrier is about to take place.
  virtual void useMBarrier(Warp &warp, const Instruction &inst, unsigned lane,
                           SyncKey key) {}
  /// A test by parity begins, in the phase of `key`.
  virtual void testParity(Warp &warp, unsigned lane, SyncKey key,
                          uint32_t parity) {}
  /// The warp has found that the phase of `key` is complete.
  virtual void seePhase(Warp &warp, SyncKey key) {}
};

class LaunchObserver {
public:
  virtual ~LaunchObserver();
  virtual std::unique_ptr<ClusterObserver> begin(Cluster &cluster) = 0;
  virtual bool wantsInstructions() const { return false; }
  /// All clusters are done.
  virtual void finish(LaunchResult &result) {}
};

std::unique_ptr<LaunchObserver> createRaceChecker(LaunchContext &launch);
/// For dependent launches: finds threads that do not execute
/// griddepcontrol.wait.
std::unique_ptr<LaunchObserver> createGridWaitChecker();
std::unique_ptr<LaunchObserver> createProfiler(LaunchContext &launch);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H
