//===- RaceState.h - Race checker state of one cluster ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_RACESTATE_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_RACESTATE_H

#include "Checkers/GlobalShadow.h"
#include "Checkers/RaceClocks.h"
#include "Machine/Block.h"

namespace tcgemm::emu {

/// State of the race checker that all clusters share.
struct RaceLaunch {
  explicit RaceLaunch(LaunchContext &launch);

  LaunchContext &launch;
  WordTable words;
  /// By site; null for none.
  std::vector<const Instruction *> sites;
  /// By site: whether the warp makes the access as a whole, so that the lane
  /// with the address does not matter.
  std::vector<bool> isCollective;
  /// By site: whether the read begins a compare-and-swap loop.
  std::vector<bool> beginsCas;
  /// The clock of a cluster has overflowed. Races between clusters are not
  /// checked any more.
  std::atomic<bool> exhausted{false};
};

enum class AgentKind : uint8_t { MBarrier, BulkRead, BulkWrite, Wgmma };

/// An asynchronous agent. It has a clock, as a warp has: see AgentChecker.h.
struct Agent {
  AgentKind kind;
  /// An mbarrier: the id of its SyncKey. Bulk groups: the warp. wgmma:
  /// block << 32 | warpgroup.
  uint64_t id;
  // For an mbarrier only:
  uint32_t firstPhase = 0; ///< Its time at the initialisation.
  uint32_t initWarp = 0, initTime = 0;
  bool isInitFenced = false; ///< By fence.mbarrier_init.
};

/// State that the parts of a cluster's race checker share.
class RaceState {
public:
  RaceState(RaceLaunch &parent, Cluster &cluster);

  /// Gives an access its time. False if races are not checked any more.
  bool start(Warp &warp, const Instruction &inst, GlobalAccessor &me);
  /// Records the instruction that a warp or agent executed at a time.
  void note(uint32_t number, uint32_t time, const Instruction &inst);
  /// Null if the instruction is too old for the log.
  const Instruction *findInstruction(uint32_t number, uint32_t time) const;

  /// The shadow of shared memory; null if there is no memory for it, which
  /// fails the launch.
  SharedShadow *getShadow(Region &region);
  bool canTellGlobal(const GlobalAccessor &me) const {
    return !parent.exhausted.load(std::memory_order_relaxed) &&
           me.cluster <= GlobalShadow::kMaxCluster &&
           me.warp <= GlobalShadow::kMaxWarp;
  }

  /// The number of an agent, which is made at its first use.
  uint32_t getAgent(AgentKind kind, uint64_t id);
  Agent &getAgentAt(uint32_t number) { return agents[number - warps.size()]; }
  bool isAgent(uint32_t number) const { return number >= warps.size(); }

  RaceLaunch &parent;
  Cluster &cluster;
  RaceClocks clocks;
  std::vector<Warp *> warps; ///< By their number in the cluster.
  std::vector<Agent> agents; ///< Their numbers follow those of the warps.

private:
  llvm::DenseMap<std::pair<unsigned, uint64_t>, uint32_t> agentNumbers;

  /// The sites of the last instructions of a warp or agent, by time modulo the
  /// size. The size is a power of two.
  struct Log {
    std::vector<uint32_t> sites;
  };
  static constexpr size_t kLogged = 1 << 16;
  std::vector<Log> logs;
};

std::string describeNoMemory(const Region &region);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_RACESTATE_H
