//===- RaceChecker.h - Race checker -----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After FastTrack (C. Flanagan, S. N. Freund: FastTrack: efficient and precise
// dynamic race detection, PLDI 2009), with warps in the place of threads: the
// lanes of a warp have one clock, and are told apart in the shadows. Accesses
// of different lanes are in order if a synchronisation of the warp lies between
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_RACECHECKER_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_RACECHECKER_H

#include "Checkers/GlobalShadow.h"
#include "Checkers/RaceClocks.h"
#include "Machine/Block.h"

namespace tcgemm::emu {

class RaceChecker : public LaunchObserver {
public:
  explicit RaceChecker(LaunchContext &launch);
  std::unique_ptr<ClusterObserver> begin(Cluster &cluster) override;
  void finish(LaunchResult &result) override;

  LaunchContext &launch;
  WordTable words;
  /// By site; null for none.
  std::vector<const Instruction *> sites;
  /// By site: whether the whole warp accesses, whichever lane has the address.
  std::vector<bool> isCollective;
  /// By site: whether a loop of compare-and-swap begins with the read.
  std::vector<bool> beginsCas;
  /// A cluster has lost count; races between clusters cannot be told any more.
  std::atomic<bool> exhausted{false};
};

class ClusterRaceChecker : public ClusterObserver {
public:
  ClusterRaceChecker(RaceChecker &parent, Cluster &cluster);

  void access(Warp &warp, const LaneAccess &access) override;
  void copyBegin(Warp &warp, const CopyBatch &batch) override;
  void copyEnd(Warp &warp, const CopyBatch &batch, uint32_t lanes) override;
  // RaceBarriers.cpp
  void arrive(Warp &warp, const Instruction &inst, unsigned lane,
              SyncKey key) override;
  void release(Warp &warp, SyncKey key) override;
  void releaseFenced(Warp &warp, SyncKey key) override;
  void acquire(Warp &warp, SyncKey key) override;
  void syncWarp(Warp &warp, uint32_t lanes) override;
  void fence(Warp &warp, Scope scope) override;
  void exit(Warp &warp) override;
  // RaceAgents.cpp
  void bulkBegin(Warp &warp, BulkCopy &copy) override;
  void bulkEnd(BulkCopy &copy, SyncKey key) override;
  void bulkWaited(Warp &warp, const BulkCopy &copy, bool onlyRead) override;
  void proxyFence(Warp &warp) override;
  void wgmmaBegin(Warp &warp, WgmmaOp &op) override;
  void wgmmaWaited(Warp &warp, const WgmmaOp &op) override;
  void arriveRemote(Warp &warp, const Instruction &inst, unsigned lane,
                    Block &owner) override;
  void initMBarrier(Warp &warp, SyncKey key) override;
  void fenceInit(Warp &warp) override;
  void useMBarrier(Warp &warp, const Instruction &inst, unsigned lane,
                   SyncKey key) override;
  void testParity(Warp &warp, unsigned lane, SyncKey key,
                  uint32_t parity) override;
  void seePhase(Warp &warp, SyncKey key) override;

private:
  /// Notes for reports which instruction a time was.
  void note(uint32_t number, uint32_t time, const Instruction &inst);
  bool canTellGlobal(const GlobalAccessor &me) const {
    return !parent.exhausted.load(std::memory_order_relaxed) &&
           me.cluster <= GlobalShadow::kMaxCluster &&
           me.warp <= GlobalShadow::kMaxWarp;
  }
  /// The phase in which an arrival at a barrier is.
  uint64_t getPhase(const Warp &warp, SyncKey key) const;
  bool start(Warp &warp, const Instruction &inst, GlobalAccessor &me);
  SharedShadow *getShadow(Region &region);
  void accessRows(Warp &warp, const LaneAccess &access,
                  const GlobalAccessor &me);
  void accessShared(Warp &warp, const LaneAccess &access, GlobalAccessor me);
  void accessGlobal(Warp &warp, const LaneAccess &access, GlobalAccessor me);
  void synchronise(Warp &warp, const LaneAccess &access);
  void checkSources(Warp &warp, const LaneAccess &access);

  // RaceBarriers.cpp ---------------------------------------------------------

  /// A barrier's arrivals in its present phase and the one before: warps and
  /// their times.
  struct Arrivals {
    uint64_t phase = 0;
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> now, before;
  };

  // RaceAgents.cpp -----------------------------------------------------------

  enum class AgentKind : uint8_t { MBarrier, BulkRead, BulkWrite, Wgmma };
  struct Agent {
    AgentKind kind;
    /// Of an mbarrier: as of its SyncKey; of bulk groups: the warp; of wgmma:
    /// block << 32 | warpgroup.
    uint64_t id;
    // Of an mbarrier:
    uint32_t firstPhase = 0; ///< Its time at the initialisation.
    uint32_t initWarp = 0, initTime = 0;
    bool isInitFenced = false; ///< By fence.mbarrier_init.
  };
  struct AgentView {
    VectorClock clock;
    ClusterTimes visible;
  };
  struct RemoteAccess {
    Warp *warp = nullptr;
    const Instruction *inst = nullptr;
    unsigned lane = 0;
    uint32_t time = 0;
  };
  uint32_t getAgent(AgentKind kind, uint64_t id);
  Agent &getAgentAt(uint32_t number);
  uint32_t getPhaseTime(SyncKey key);
  AgentView makeView(const Warp &warp);
  void checkInit(Warp &warp, const BulkCopy &copy, const AgentView &view);
  GlobalAccessor beginAgent(uint32_t agent, uint32_t time,
                            const Instruction &inst, const AgentView &view);
  void readPiece(Warp &warp, const BulkCopy &copy, const BulkPiece &piece,
                 const GlobalAccessor &me);
  void writePiece(Warp &warp, const BulkCopy &copy, const BulkPiece &piece,
                  const GlobalAccessor &me);
  void noteRemote(const Block &owner, uint32_t number, uint32_t time,
                  RemoteAccess access);
  void checkExit(const Warp &warp);

  // RaceReport.cpp -----------------------------------------------------------

  /// How a finding speaks of the access that completes the race.
  struct Mine {
    const Instruction &inst;
    const char *what; ///< `write`
    uint32_t bytes;
    unsigned lane;
    uint64_t address;
    const Region &region;
  };
  /// False if it is a warning only.
  bool report(Warp &warp, const Mine &mine, const RaceParty &other);
  bool report(Warp &warp, const Mine &mine, const GlobalRaceParty &other);
  bool reportOwn(Warp &warp, const Mine &mine, const RaceParty &other,
                 bool isWarning);
  bool isCasLoop(const Mine &mine, const RaceParty &other,
                 const Instruction *otherInst) const;
  /// Of an access of an agent.
  void reportAgent(Warp &warp, const Mine &mine, const Accessor &me,
                   const RaceParty &other);
  std::string describeAgent(const RaceParty &other) const;
  const Instruction *findInstruction(uint32_t warp, uint32_t time) const;
  std::string describe(const RaceParty &other) const;
  std::string describeForeign(const GlobalRaceParty &other) const;
  std::string describeThread(const Warp &warp, unsigned lane) const;

  RaceChecker &parent;
  Cluster &cluster;
  RaceClocks clocks;
  std::vector<Warp *> warps; ///< By their number in the cluster.
  std::vector<Agent> agents; ///< Numbered on from the warps.
  llvm::DenseMap<std::pair<unsigned, uint64_t>, uint32_t> agentNumbers;
  /// By kind and name of the barrier.
  std::map<std::pair<unsigned, uint64_t>, Arrivals> allArrivals;
  /// By owner and by who accesses: the last access.
  std::map<std::pair<uint32_t, uint32_t>, RemoteAccess> remotes;
  std::vector<VectorClock> exitClocks; ///< By block.

  /// Which instruction a time of a warp was: of the last ones, by time modulo
  /// the size, which is a power of two.
  struct Log {
    std::vector<uint32_t> sites;
  };
  static constexpr size_t kLogged = 1 << 16;
  std::vector<Log> logs;

  /// Copies whose source is being read.
  struct ActiveCopy {
    const CopyBatch *batch;
    Warp *warp;
    uint32_t lanes;
  };
  std::vector<ActiveCopy> activeCopies;
};

/// Whether two lanes of one store put different values into the bytes that they
/// have in common; false if that cannot be told.
bool storesDiffer(Warp &warp, const LaneAccess &access, unsigned lane,
                  unsigned otherLane);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_RACECHECKER_H
