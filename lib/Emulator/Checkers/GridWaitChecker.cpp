//===- GridWaitChecker.cpp - Checker of griddepcontrol.wait ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dependent launch may run beside the one ahead of it. Each thread that
// accesses global memory must have waited itself. A wait of another thread and
// a barrier would be enough, but generated kernels do not use that. The checker
// does not ask which memory the launch ahead really accesses.
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/BulkCopy.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {
namespace {

class ClusterGridWaitChecker : public ClusterObserver {
public:
  explicit ClusterGridWaitChecker(const Cluster &cluster) {
    size_t warps = 0;
    for (const auto &block : cluster.blocks)
      warps += block->warps.size();
    waited.resize(warps);
  }

  void waitForGrids(Warp &warp) override {
    waited[warp.clusterIndex] |= warp.exec;
  }
  void access(Warp &warp, const LaneAccess &access) override {
    check(warp, access);
  }
  void copyBegin(Warp &warp, const CopyBatch &batch) override {
    LaneAccess source = batch.source;
    source.inst = batch.inst;
    check(warp, source);
  }
  void bulkBegin(Warp &warp, BulkCopy &copy) override {
    for (const BulkPiece &piece :
         llvm::concat<const BulkPiece>(copy.sources, copy.targets))
      if (check(warp, *copy.inst, copy.lane, piece.region, piece.address))
        return;
  }

private:
  void check(Warp &warp, const LaneAccess &access) {
    bool told = false; // One finding for each execution is enough.
    forEachLane(access.lanes & ~waited[warp.clusterIndex], [&](unsigned lane) {
      told = told || check(warp, *access.inst, lane, access.region[lane],
                           access.address[lane]);
    });
  }

  /// Returns whether it has reported the access.
  bool check(Warp &warp, const Instruction &inst, unsigned lane,
             const Region *region, uint64_t address) {
    if (!region || region->space != ptx::Space::Global ||
        (waited[warp.clusterIndex] >> lane & 1))
      return false;
    warp.report(FindingKind::MissingGridWait, inst, lane, address,
                llvm::formatv("access to {0}, which the launch before may "
                              "still be working on: the thread has not "
                              "executed griddepcontrol.wait",
                              describePlace(*region, address)));
    return true;
  }

  /// By Warp::clusterIndex: the lanes that have waited.
  std::vector<uint32_t> waited;
};

class GridWaitChecker : public LaunchObserver {
  std::unique_ptr<ClusterObserver> begin(Cluster &cluster) override {
    return std::make_unique<ClusterGridWaitChecker>(cluster);
  }
};

} // namespace

std::unique_ptr<LaunchObserver> createGridWaitChecker() {
  return std::make_unique<GridWaitChecker>();
}

} // namespace tcgemm::emu
