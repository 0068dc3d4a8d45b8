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
#include "tcgemm/Target/Precision.h"

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
constexpr int64_t kAlignedBits = 256;
/// Sums to whose multiples rows of the staged tile are padded.
constexpr int64_t kAlignedSums = 8;

class WmmaChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    if (first)
      checkCounts();
  }
  void checkShape() override;
  void checkResources() override;
  void checkTarget();
  void checkCounts();

  /// The first instruction for the types; null if there is none.
  const MatrixInstruction *first =
      problem.findInstruction(InstructionKind::Wmma);
};

} // namespace

void WmmaChecker::checkTarget() {
  requireCapability(80);
  require(first, "element-type",
          "elements of A and B are {0} and {1}, but schedule wmma takes f16, "
          "f16acc16, i8, ui8, ui1 or tf32, the same for both",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  requireDefaults();
  requireThreadStores();
}

void WmmaChecker::checkCounts() {
  require(findInstruction(*first, config.instruction), "instruction",
          "instruction = {0}, but schedule wmma has {1} for {2}",
          getText("instruction"), getShapeNames(*first),
          getTypeName(problem.typeA));
  auto [warpsM, warpsN, warpsK] = config.warps;
  require(warpsM >= 1 && warpsN >= 1 && warpsK == 1, "warps",
          "warps = {0}, but with schedule wmma they must be at least 1 along M "
          "and N and 1 along K",
          getText("warps"));
  checkWarpCount();
  // Rows of a stage have up to 256 bytes.
  int64_t step = first->k, most = 2048 / problem.getBitsA();
  require(config.cta[2] >= step && config.cta[2] <= most &&
              config.cta[2] % step == 0,
          "cta-k", "cta K = {0}, but it must be a multiple of {1} to {2}",
          config.cta[2], step, most);
  checkCommonCounts();
  requireRange("tiles-per-cta", "tiles_per_cta", config.wmma.tilesPerCta, 1,
               65535);
  require(
      config.wmma.tilesPerCta != 1 || config.tileOrder == TileOrder::Sequential,
      "tiles-per-cta",
      "tile_order = {0} with tiles_per_cta = 1, but only several tiles of a "
      "CTA have an order",
      getText("tile_order"));
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
    int64_t aligned = kAlignedBits / problem.getBits(side);
    require(problem.hasTileAlongK(side) || unit % aligned == 0, "instruction",
            "instruction {0} = {1}, but {2} is contiguous along {0}, where "
            "fragments must start at multiples of {3} elements",
            name, unit, side ? 'B' : 'A', aligned);
  }
}

void WmmaChecker::checkResources() {
  int64_t accumulators = config.getWarpM() * config.getWarpN() / 32;
  require(accumulators <= kMaxAccumulators, "registers",
          "warp tile {0}x{1} has {2} accumulators a thread; the limit is {3}",
          config.getWarpM(), config.getWarpN(), accumulators, kMaxAccumulators);
  checkCopies('A', getTileA(config, problem), config.copyA);
  checkCopies('B', getTileB(config, problem), config.copyB);
  checkSharedMemory(planSharedMemory(config, problem).getTotal(),
                    formatv("{0} stages and the epilogue", config.stages));
}

int64_t getWmmaStagingPitch(const KernelConfig &config) {
  // The columns that are added keep rows out of each other's banks.
  return (config.epilogue == EpilogueKind::Staged ? config.cta[1]
                                                  : config.instruction[1]) +
         kAlignedSums;
}

int64_t getWmmaStagingBytes(const KernelConfig &config,
                            const ProblemInfo &problem) {
  int64_t rows = config.epilogue == EpilogueKind::Staged
                     ? config.cta[0]
                     : config.getNumWarps() * config.instruction[0];
  ScalarType sum = getInstructionSum(problem.typeA, problem.accumulator);
  return rows * getWmmaStagingPitch(config) * getByteSize(sum);
}

SharedMemoryPlan
WmmaFamily::planSharedMemory(const KernelConfig &config,
                             const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  bool pads = config.mmaSync.shared == SharedLayout::Pad;
  // An operand that is not staged is staged all the same where it is too badly
  // aligned.
  plan.ring = getRingBytes(config, problem, pads, pads);
  plan.staging = getWmmaStagingBytes(config, problem);
  plan.reusesRing = true;
  return plan;
}

ArrayRef<StringLiteral> WmmaFamily::getKeys() const { return keys; }

SmallVector<Violation>
WmmaFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem,
                           ViolationDetail detail) const {
  return WmmaChecker(config, chip, problem).run(detail);
}

} // namespace tcgemm
