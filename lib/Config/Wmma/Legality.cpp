//===- Legality.cpp - The rules of schedule wmma --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no rule for registers but one against code without end: kernels of
// this schedule exist to be compared with each other, also those that spill.
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"
#include "Common/RuleChecker.h"
#include "Wmma/Family.h"
#include "tcgemm/Config/Wmma.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {
    "cta",          "warps",    "instruction", "stages",        "raster",
    "raster_group", "epilogue", "min_ctas",    "max_registers", "tiles_per_cta",
    "tile_order",   "stage_a",  "stage_b"};

/// Accumulators a thread: more than its registers, however much it spills.
constexpr int64_t kMaxAccumulators = 256;
/// wmma wants its rows and columns to start at multiples of 32 bytes.
constexpr int64_t kAlignedHalves = 16, kAlignedFloats = 8;

class WmmaChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    checkCounts();
  }
  void checkShape() override;
  void checkResources() override;
  void checkTarget();
  void checkCounts();
};

} // namespace

void WmmaChecker::checkTarget() {
  requireCapability(80);
  require(getFamily(Schedule::Wmma).takesElements(problem), "element-type",
          "elements of A and B are {0}, but schedule wmma takes f16",
          getTypeName(problem.typeA));
  requireDefaults();
  requireThreadStores();
}

void WmmaChecker::checkCounts() {
  auto [m, n, k] = config.instruction;
  bool isShape = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) ||
                             (m == 8 && n == 32));
  require(isShape, "instruction",
          "instruction = {0}, but schedule wmma has [16, 16, 16], [32, 8, 16] "
          "and [8, 32, 16]",
          config.get("instruction"));
  auto [warpsM, warpsN, warpsK] = config.warps;
  require(warpsM >= 1 && warpsN >= 1 && warpsK == 1, "warps",
          "warps = {0}, but with schedule wmma they must be at least 1 along M "
          "and N and 1 along K",
          config.get("warps"));
  checkWarpCount();
  require(config.cta[2] >= 16 && config.cta[2] <= 128 &&
              config.cta[2] % 16 == 0,
          "cta-k", "cta K = {0}, but it must be a multiple of 16 to 128",
          config.cta[2]);
  checkCommonCounts();
  requireRange("tiles-per-cta", "tiles_per_cta", config.wmma.tilesPerCta, 1,
               65535);
}

void WmmaChecker::checkShape() {
  constexpr StringLiteral rules[] = {"cta-m", "cta-n"};
  for (int64_t side : {0, 1}) {
    int64_t unit = config.instruction[side], warps = config.warps[side];
    char name = side ? 'N' : 'M';
    require(config.cta[side] > 0 && config.cta[side] % (unit * warps) == 0,
            rules[side],
            "cta {0} = {1}, but it must be a multiple of {2} x {3} warps = {4}",
            name, config.cta[side], unit, warps, unit * warps);
    bool alongK = side ? problem.bKContiguous : problem.aKContiguous;
    require(alongK || unit % kAlignedHalves == 0, "instruction",
            "instruction {0} = {1}, but {2} is contiguous along {0}, where "
            "fragments must start at multiples of {3} elements",
            name, unit, side ? 'B' : 'A', kAlignedHalves);
  }
}

void WmmaChecker::checkResources() {
  int64_t accumulators = config.getWarpM() * config.getWarpN() / 32;
  require(accumulators <= kMaxAccumulators, "registers",
          "warp tile {0}x{1} has {2} accumulators a thread; the limit is {3}",
          config.getWarpM(), config.getWarpN(), accumulators, kMaxAccumulators);
  checkCopies('A', getTileA(config, problem), config.copyA);
  checkCopies('B', getTileB(config, problem), config.copyB);
  int64_t bytes = planSharedMemory(config, problem).getTotal();
  require(bytes <= chip.sharedPerBlock, "shared-memory",
          "{0} stages and the epilogue use {1} bytes of shared memory; the "
          "limit of {2} is {3}",
          config.stages, bytes, chip.name, chip.sharedPerBlock);
  checkResidents(bytes);
}

int64_t getWmmaStagingPitch(const KernelConfig &config) {
  // The columns that are added keep rows out of each other's banks.
  return (config.epilogue == EpilogueKind::Staged ? config.cta[1]
                                                  : config.instruction[1]) +
         kAlignedFloats;
}

int64_t getWmmaStagingBytes(const KernelConfig &config) {
  int64_t rows = config.epilogue == EpilogueKind::Staged
                     ? config.cta[0]
                     : config.getNumWarps() * config.instruction[0];
  return rows * getWmmaStagingPitch(config) * 4;
}

SharedMemoryPlan
WmmaFamily::planSharedMemory(const KernelConfig &config,
                             const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  bool pads = config.mmaSync.shared == SharedLayout::Pad;
  // An operand that is not staged is staged all the same where it is too badly
  // aligned.
  plan.ring = getRingBytes(config, problem, pads, pads);
  plan.staging = getWmmaStagingBytes(config);
  plan.reusesRing = true;
  return plan;
}

ArrayRef<StringLiteral> WmmaFamily::getKeys() const { return keys; }

SmallVector<Violation>
WmmaFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem) const {
  return WmmaChecker(config, chip, problem).run();
}

} // namespace tcgemm
