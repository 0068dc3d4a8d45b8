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
// a ClusterObserver needs no locks for its own state; what clusters share is in
// the LaunchObserver or in a Region's shadow, and needs them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H

#include "Machine/Memory.h"

namespace tcgemm::emu {

class Block;
class Cluster;
struct LaunchContext;

/// Asynchronous copies that one cp.async of a warp has begun: lane by lane.
struct CopyBatch {
  const Instruction *inst = nullptr;
  uint32_t lanes = 0; ///< Not yet done.
  uint32_t bytes = 0; ///< Written a lane.
  LaneAccess source;  ///< Lanes with nothing to read are not in its mask.
  LaneAccess target;
  std::array<uint32_t, kWarpSize> sourceBytes; ///< Read; the rest is zeros.
  uint64_t sequence = 0;                       ///< Counts the warp's batches.
  /// The lane's group: how many it had committed when the copy began.
  std::array<uint32_t, kWarpSize> group;
};

/// Names something that orders memory: a barrier, a word used for
/// synchronisation.
struct SyncKey {
  enum class Kind : uint8_t { Barrier, ClusterBarrier, Word, MBarrier } kind;
  /// block << 8 | barrier; or an address; or block << 32 | address.
  uint64_t id;
  uint64_t phase = 0; ///< Of an mbarrier: which one is arrived at or over.
  /// Of a barrier without a number of threads: exits count as arrivals.
  bool countsExits = false;
};

struct BulkCopy;
struct WgmmaOp;

class ClusterObserver {
public:
  virtual ~ClusterObserver();
  /// Before a warp executes an instruction for the lanes warp.exec; only if the
  /// launch observer asks for it.
  virtual void execute(Warp &warp, const Instruction &inst) {}
  /// A resolved access, before it takes place. Copies come through the next two
  /// instead.
  virtual void access(Warp &warp, const LaneAccess &access) {}
  virtual void copyBegin(Warp &warp, const CopyBatch &batch) {}
  /// The copies of `lanes` have become visible to their own threads.
  virtual void copyEnd(Warp &warp, const CopyBatch &batch, uint32_t lanes) {}
  /// The warp is about to arrive at a barrier for threads, or at an mbarrier.
  virtual void arrive(Warp &warp, const Instruction &inst, unsigned lane,
                      SyncKey key) {}
  /// What the warp did before is made visible through / was received from
  /// `key`. A barrier is a release on arrival and an acquire on leaving.
  virtual void release(Warp &warp, SyncKey key) {}
  /// An arrival that is no release by itself: what fences before have covered
  /// is made visible.
  virtual void releaseFenced(Warp &warp, SyncKey key) {}
  virtual void acquire(Warp &warp, SyncKey key) {}
  virtual void syncWarp(Warp &warp, uint32_t lanes) {}
  virtual void fence(Warp &warp, Scope scope) {}
  virtual void exit(Warp &warp) {}
  /// griddepcontrol.wait, by the lanes warp.exec.
  virtual void waitForGrids(Warp &warp) {}

  // Asynchronous agents ------------------------------------------------------

  /// A bulk copy was begun: from now on its source must stay as it is, and
  /// nobody may touch its target.
  virtual void bulkBegin(Warp &warp, BulkCopy &copy) {}
  /// The copy is over, and tells an mbarrier in the phase of `key`.
  virtual void bulkEnd(BulkCopy &copy, SyncKey key) {}
  /// The thread knows now that the copy is over (or has read its source).
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
  /// Before any other operation on it.
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
/// For dependent launches: finds threads that do not wait.
std::unique_ptr<LaunchObserver> createGridWaitChecker();
std::unique_ptr<LaunchObserver> createProfiler(LaunchContext &launch);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_OBSERVER_H
