//===- Block.h - Blocks and clusters ----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_BLOCK_H
#define TCGEMM_LIB_EMULATOR_MACHINE_BLOCK_H

#include "Machine/BulkCopy.h"
#include "Machine/MBarrier.h"
#include "Machine/Warp.h"
#include "Machine/WarpGroup.h"

#include "llvm/ADT/STLExtras.h"

#include <mutex>

namespace tcgemm::emu {

/// Collects the findings of all threads, and counts equal ones.
class Reporter {
public:
  explicit Reporter(unsigned limit) : limit(limit) {}
  /// False once there are too many findings to go on.
  bool add(Finding finding);
  void takeInto(LaunchResult &result);

private:
  std::mutex mutex;
  unsigned limit;
  uint64_t suppressed = 0, total = 0;
  static constexpr uint64_t kTooMany = 10000;
  std::map<std::tuple<uint32_t, FindingKind>, Finding> findings;
};

/// State that all blocks of a launch share.
struct LaunchContext {
  LaunchContext(const Program &program, const FunctionCode &function,
                const Launch &launch, const LaunchOptions &options,
                GlobalMemory &memory)
      : program(program), function(function), launch(launch), options(options),
        memory(memory), reporter(options.maxFindings) {}

  const Program &program;
  const FunctionCode &function;
  const Launch &launch;
  const LaunchOptions &options;
  GlobalMemory &memory;
  Reporter reporter;
  Region params; ///< The kernel's arguments.
  std::vector<std::unique_ptr<LaunchObserver>> observers;
  bool wantsInstructions = false;

  /// Set once the launch has failed or was cancelled. Then all warps stop.
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> instructions{0};
  /// Keeps the first failure.
  void fail(const llvm::Twine &message);
  std::mutex failureMutex;
  std::string failure;

  /// Keeps the text that a thread of a cluster has printed.
  void print(uint32_t cluster, llvm::StringRef text);
  /// The text of all clusters in their order.
  std::string takePrinted();

private:
  std::mutex printMutex;
  std::map<uint32_t, std::string> printed; ///< By cluster.
  uint64_t printedBytes = 0;
};

/// One of the 16 barriers of a block, or the barrier of a cluster.
struct Barrier {
  uint64_t phase = 0;    ///< How often it was completed.
  uint32_t expected = 0; ///< Threads; 0 while nobody has arrived.
  uint32_t arrived = 0;  ///< Threads, in this phase.
  llvm::SmallVector<uint32_t, 8> arrivedWarps; ///< For reports.
  /// bar.red: threads whose predicate is true, in this phase and the last one.
  uint32_t holds = 0;
  uint32_t lastHolds = 0, lastArrived = 0;

  /// Ends the phase.
  void complete();
  /// A barrier without a count waits for all `live` threads.
  void completeIfAllArrived(uint32_t live);
};

class Block {
public:
  Block(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> id);

  Cluster &cluster;
  const uint32_t rank; ///< In the cluster.
  const std::array<uint32_t, 3> id;
  Region shared; ///< Its base is 0; the first kSharedReserved bytes are not
                 ///< to be used.
  std::array<Barrier, 16> barriers;
  std::vector<std::unique_ptr<Warp>> warps;
  /// By address. All initialised ones lie in [mbarrierLow, mbarrierHigh).
  std::map<uint32_t, MBarrier> mbarriers;
  uint32_t mbarrierLow = ~0u, mbarrierHigh = 0;
  std::vector<WarpGroup> warpGroups; ///< Each has four warps.

  LaunchContext &launch() const;
  /// Threads that have not exited.
  uint32_t getLiveThreads() const;
  /// Completes barriers that wait only for threads that have exited.
  void threadsExited();
  /// `lanes` of `warp` have exited, so their arrivals no longer count.
  void leaveClusterBarrier(Warp &warp, uint32_t lanes);

private:
  LazyBytes sharedData, sharedDefined;
};

class Cluster {
public:
  Cluster(LaunchContext &launch, std::array<uint32_t, 3> firstBlock,
          uint32_t index);
  ~Cluster();

  LaunchContext &launch;
  const uint32_t index;                       ///< In the launch.
  std::vector<std::unique_ptr<Block>> blocks; ///< By rank.
  std::vector<std::unique_ptr<ClusterObserver>> observers;
  Barrier barrier; ///< barrier.cluster
  BulkQueue bulk;
  /// The number of stores, arrivals and other events that a warp may wait for.
  uint64_t effects = 0;
  /// There may be mbarriers, or accesses to other blocks.
  const bool checksOwners;
  /// The block that owns a shared region.
  Block &getOwner(const Region &region);
  /// By its number in the cluster.
  Warp &getWarp(uint32_t index) {
    size_t each = blocks.front()->warps.size();
    return *blocks[index / each]->warps[index % each];
  }

  /// Runs all warps in turn for about `budget` instructions in all.
  enum class State { Running, Done, Failed };
  State run(uint64_t budget);

private:
  void reportDeadlock();
  std::string describeWait(const Warp &warp) const;
  bool wakeUp();

  uint64_t ticks = 0;       ///< Instructions of all warps.
  uint64_t lastEffects = 0; ///< When everybody waited or polled last.
  uint64_t effectsOfTimeout = 0;
  unsigned idleRounds = 0, timeouts = 0;
};

template <class Fn> void Warp::observe(Fn fn) {
  for (auto &observer : block.cluster.observers)
    fn(*observer);
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_BLOCK_H
