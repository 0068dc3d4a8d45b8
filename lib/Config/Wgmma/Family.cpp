//===- Family.cpp - Schedule wgmma ----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Family.h"

#include "Common/Counts.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {"cta",
                                  "warps",
                                  "instruction",
                                  "stages",
                                  "raster",
                                  "raster_group",
                                  "split_k",
                                  "slice_order",
                                  "copy_a",
                                  "copy_b",
                                  "epilogue",
                                  "min_ctas",
                                  "epilogue_buffers",
                                  "l2_promotion",
                                  "cluster",
                                  "persistent",
                                  "pingpong",
                                  "swap_ab",
                                  "stage_inputs",
                                  "producer",
                                  "dependent_launch"};

constexpr std::array<int64_t, 3> clusters[] = {
    {2, 1, 1}, {1, 2, 1}, {4, 1, 1}, {1, 4, 1}, {2, 2, 1}, {2, 4, 1},
    {4, 2, 1}, {8, 1, 1}, {1, 8, 1}, {1, 1, 2}, {1, 1, 4}, {1, 1, 8},
    {2, 1, 2}, {1, 2, 2}, {4, 1, 2}, {1, 4, 2}};

/// As in the shipped spaces, a kernel is persistent where it has more tiles
/// than the chip has places, and has clusters if these have no CTAs beyond the
/// problem.
KernelConfig adaptWgmma(KernelConfig config, bool isSplit, const ChipInfo &chip,
                        const ProblemInfo &problem) {
  int64_t m = divideCeil(problem.m, config.cta[0]);
  int64_t n = divideCeil(problem.n, config.cta[1]);
  int64_t tiles = multiplyCounts({problem.batch, m, n, config.splitK});
  config.wgmma.persistent = tiles > chip.speed.numSMs;
  config.wgmma.pingpong &= config.wgmma.persistent;
  if (config.wgmma.persistent)
    config.wgmma.cluster[2] = 1;
  if (isSplit || m % config.wgmma.cluster[0] != 0 ||
      n % config.wgmma.cluster[1] != 0)
    config.wgmma.cluster = {1, 1, 1};
  return config;
}

class WgmmaFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Wgmma; }
  ArrayRef<StringLiteral> getKeys() const override { return keys; }
  SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem) const override {
    return findWgmmaViolations(config, chip, problem);
  }
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.hasElementBits(16);
  }
  /// A warpgroup of producers stands beside the consumers.
  ThreadCount getThreadCount(const KernelConfig &config) const override {
    return {"warps", config.warps, 32, 128};
  }
  bool derivesInstruction() const override { return true; }
  void completeInstruction(KernelConfig &config) const override {
    config.instruction = {64, config.getColumnSide(), 16};
  }
  /// Consumers are counted in warpgroups.
  bool isComputable(const KernelConfig &config) const override {
    return config.warps[0] >= 4;
  }
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override {
    return planWgmmaMemory(config, problem);
  }
  int64_t estimateRegisters(const KernelConfig &config) const override {
    return estimateWgmmaRegisters(config);
  }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override {
    return proposeWgmmaDefault(request, sized);
  }
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override {
    return estimateWgmmaTime(config, chip, problem);
  }
  KernelConfig adapt(KernelConfig config, bool isSplit, const ChipInfo &chip,
                     const ProblemInfo &problem) const override {
    return adaptWgmma(config, isSplit, chip, problem);
  }
  ArrayRef<std::array<int64_t, 3>> getClusters() const override {
    return clusters;
  }
  bool hasRoomForEpilogue(const KernelConfig &config, bool readsMore,
                          bool computesMore) const override {
    constexpr int64_t mostAccumulators = 128;
    int64_t rows = config.getRowSide() / config.getSharers();
    return !(readsMore || (computesMore && config.wgmma.pingpong)) ||
           rows * config.getColumnSide() <= 128 * mostAccumulators;
  }
  bool canStageInputs(const KernelConfig &config) const override {
    return config.wgmma.persistent;
  }
};

} // namespace

const ScheduleFamily &getWgmmaFamily() {
  static const WgmmaFamily family;
  return family;
}

} // namespace tcgemm
