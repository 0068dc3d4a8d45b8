//===- Legality.cpp - The rules of schedule wgmma -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/RuleChecker.h"
#include "Wgmma/Family.h"
#include "Wgmma/Registers.h"
#include "Wgmma/SharedMemory.h"
#include "Wgmma/Structure.h"
#include "tcgemm/Config/Wgmma.h"
#include "tcgemm/Target/BlockScales.h"
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
                                  "dependent_launch",
                                  "dependent_steps",
                                  "promote_sums"};

class WgmmaChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    if (!instruction)
      return;
    checkCounts();
    checkPartsOfDepth();
    checkDepth();
    checkConversion();
    checkBlockScales();
    checkGroupScales();
    checkGroupsOfRows();
    checkGroupsAlongK();
    checkDual();
    checkSummedDim();
    checkBands();
    checkSymmetry();
    checkCluster();
    checkProducer();
  }
  void checkShape() override {
    checkTileShape();
    checkEpilogue();
  }
  void checkResources() override;
  const MatrixInstruction *instruction =
      problem.findInstruction(InstructionKind::Wgmma);
  const int64_t slices = config.splitK * config.wgmma.cluster[2];

  void checkTarget();
  void checkCounts();
  void checkPartsOfDepth();
  void checkDepth();
  void checkConversion();
  void checkBlockScales();
  void checkGroupScales();
  void checkGroupsOfRows();
  void checkGroupsAlongK();
  void checkDual();
  void checkSummedDim();
  void checkBands();
  void checkSymmetry();
  void checkCluster();
  void checkProducer();
  void checkRoundedCopies();
  void checkTileShape();
  void checkEpilogue();
};

} // namespace

void WgmmaChecker::checkTarget() {
  require(chip.features.wgmma, "chip",
          "chip {0} has no wgmma, which schedule wgmma needs: sm_90a has",
          chip.name);
  require(instruction, "element-type",
          "no wgmma multiplies elements of type {0} by {1}",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  requireDefaults();
  requireBands();
}

void WgmmaChecker::checkCounts() {
  static constexpr std::array<int64_t, 3> known[] = {
      {4, 1, 1}, {8, 1, 1}, {12, 1, 1}, {4, 1, 2}, {8, 1, 2}, {4, 1, 4}};
  require(is_contained(known, config.warps), "warps",
          "warps = {0}, but schedule wgmma has one to four warpgroups that "
          "multiply: [4, 1, 1], [8, 1, 1] or [12, 1, 1], and with parts of k "
          "[4, 1, 2], [8, 1, 2] or [4, 1, 4]",
          getText("warps"));
  requireRange("stages", "stages", config.stages, 2, 12);
  requireRange("raster-group", "raster_group", config.rasterGroup, 1, 65535);
  requireRange("split-k", "split_k", config.splitK, 1, 65535);
  requireRange("epilogue-buffers", "epilogue_buffers",
               config.wgmma.epilogueBuffers, 1, 8);
  require(is_contained({0, 64, 128, 256}, config.wgmma.l2Promotion),
          "l2-promotion",
          "l2_promotion = {0}, but TMA knows 0, 64, 128 and 256 bytes",
          config.wgmma.l2Promotion);
  requireRange("resident-threads", "min_ctas", config.minCtas, 0, 8);
  require(!config.wgmma.promoteSums || isFloatType(instruction->accumulator),
          "promote-sums",
          "promote_sums = true, but sums of type {0} are exact: it is for f32",
          getTypeName(instruction->accumulator));
  require(!config.wgmma.pingpong ||
              (config.warps[0] == 8 && config.persistent && config.splitK == 1),
          "pingpong",
          "pingpong = true with warps = {0}, persistent = {1} and split_k = "
          "{2}, but it needs [8, 1, 1], true and 1",
          getText("warps"), getText("persistent"), config.splitK);
}

/// Roles that divide k load their parts to registers, and add them when the
/// products of the CTA's only tile have ended. A role writes zeros into a stage
/// only where no other one reads it.
void WgmmaChecker::checkPartsOfDepth() {
  if (config.warps[2] <= 1)
    return;
  unsigned ofRows = config.swapAB ? 1 : 0;
  require(problem.getConvertedOperand() ||
              (problem.transforms(ofRows) &&
               WgmmaFamily().mapsFragments(config, problem, ofRows)),
          "warps-k",
          "warps K = {0}, but {1} is multiplied from shared memory: only roles "
          "that load the instruction's rows to registers divide k",
          config.warps[2], ofRows ? "B" : "A");
  bool hasTrims = problem.hasBands() || problem.hasGroupsAlongK();
  require(!config.persistent && !hasTrims && !problem.hasBlockScales(),
          "warps-k",
          "warps K = {0} and persistent = {1}, but parts of k need false, and "
          "neither bands, groups along k nor scales of blocks",
          config.warps[2], getText("persistent"));
}

/// A lane's registers take 16 bytes of a row at a time. Of two such steps, one
/// is converted while the other is multiplied; bytes of packed elements take
/// more of k for that. A row of a part has 64 or 128 bytes. Each of the roles
/// that divide k has as many steps as one role has alone.
void WgmmaChecker::checkDepth() {
  if (problem.splitsOperands()) {
    int64_t least =
        512 / problem.getMultipliedBits() * getNumProducts(problem.typeA);
    require(config.cta[2] == least || config.cta[2] == 2 * least, "cta-k",
            "cta K = {0}, but with schedule wgmma and operands of type {1} it "
            "must be {2} or {3}: products of parts count",
            config.cta[2], getTypeName(problem.typeA), least, 2 * least);
    return;
  }
  int64_t step = instruction->k;
  if (std::optional<unsigned> narrow = problem.getConvertedOperand())
    step = std::max(step,
                    getRegisterDepth(*narrow ? problem.typeB : problem.typeA));
  step *= std::clamp<int64_t>(config.warps[2], 1, 4);
  require(is_contained({2 * step, 4 * step, 8 * step}, config.cta[2]), "cta-k",
          "cta K = {0}, but with schedule wgmma it must be {1}, {2} or {3}",
          config.cta[2], 2 * step, 4 * step, 8 * step);
}

/// Elements are converted in registers, where only the operand with the
/// instruction's rows can be.
void WgmmaChecker::checkConversion() {
  std::optional<unsigned> narrow = problem.getConvertedOperand();
  if (!narrow)
    return;
  require(config.swapAB == (*narrow == 1), "swap-ab",
          "swap_ab = {0}, but {1} of {2} is converted in registers, which hold "
          "the instruction's rows: it must be {3}",
          getText("swap_ab"), *narrow ? "B" : "A",
          getTypeName(*narrow ? problem.typeB : problem.typeA),
          *narrow ? "true" : "false");
}

/// A stage is one block of k, whose sum is scaled in registers.
void WgmmaChecker::checkBlockScales() {
  if (!problem.hasBlockScales())
    return;
  require(config.wgmma.promoteSums, "block-scales",
          "promote_sums = false, but with scales of blocks it must be true: "
          "the sums of each stage are scaled in registers");
  require(config.cta[2] == kScaleDepth, "block-scales",
          "cta K = {0}, but with scales of blocks it must be {1}: a stage is "
          "one block",
          config.cta[2], kScaleDepth);
  require(!config.swapAB, "block-scales",
          "swap_ab = true, but with scales of blocks it must be false");
}

/// The sums of a group, or of a stage that is less deep, are scaled in
/// registers. The lanes that have a row load the scales of four groups at once.
void WgmmaChecker::checkGroupScales() {
  if (!problem.hasGroupScales())
    return;
  require(config.wgmma.promoteSums, "group-scales",
          "promote_sums = false, but with scales of groups it must be true: "
          "the sums of each group are scaled in registers");
  int64_t deepest = kLoadedGroups * problem.groups.depth;
  require(config.cta[2] <= deepest, "group-scales",
          "cta K = {0}, but with scales of groups of {1} elements it must be "
          "at most {2}: four groups",
          config.cta[2], problem.groups.depth, deepest);
}

/// The number of tiles is known on the device only, and a TMA store would write
/// rows of the next group too.
void WgmmaChecker::checkGroupsOfRows() {
  if (!problem.hasGroupsOfRows())
    return;
  require(config.persistent && config.splitK == 1, "groups-of-rows",
          "persistent = {0} and split_k = {1}, but with groups of rows they "
          "must be true and 1",
          getText("persistent"), config.splitK);
  require(config.epilogue != EpilogueKind::Tma, "groups-of-rows",
          "epilogue = tma, but with groups of rows it must be staged or "
          "direct: TMA would store rows of the next group");
}

/// Tiles have different numbers of stages, as with bands, and the consumers
/// write zeros behind a group's end.
void WgmmaChecker::checkGroupsAlongK() {
  if (!problem.hasGroupsAlongK())
    return;
  require(slices == 1 && !config.wgmma.pingpong &&
              config.wgmma.producer == ProducerKind::Tma,
          "groups-along-k",
          "{0} slices of k, pingpong = {1} and producer = {2}, but with groups "
          "along k they must be 1, false and tma",
          slices, getText("pingpong"), getText("producer"));
}

/// The columns of both products are one instruction's, and the same thread has
/// both sums of an element. The parts of B and of the second B are boxes of
/// their own.
void WgmmaChecker::checkDual() {
  if (!problem.isDual())
    return;
  require(WgmmaFamily().takesDual(config), "dual",
          "swap_ab = {0}, {1} slices of k and producer = {2}, but with two "
          "products that share A they must be false, 1 and tma",
          getText("swap_ab"), slices, getText("producer"));
  int64_t unit = problem.hasTileAlongK(1) ? 16 * config.wgmma.cluster[0] : 128;
  require(config.cta[1] % unit == 0, "dual",
          "cta N = {0}, but it has the columns of both products, so that it "
          "must be a multiple of {1}",
          config.cta[1], unit);
}

/// Each value of a summed dimension begins with a tile of its own.
void WgmmaChecker::checkSummedDim() {
  if (!problem.hasSummedDim())
    return;
  require(config.wgmma.producer == ProducerKind::Tma, "summed-dimension",
          "producer = {0}, but with a summed dimension it must be tma",
          getText("producer"));
  int64_t depth = std::max<int64_t>(problem.getTiledDepth(), 0);
  int64_t most = alignTo(depth, 1024 / problem.getMultipliedBits() *
                                    getNumProducts(problem.typeA));
  require(depth == 0 || config.cta[2] <= most, "summed-dimension",
          "cta K = {0}, but with a summed dimension and {1} elements along k "
          "for each of its values it must be at most {2}",
          config.cta[2], depth, most);
}

/// Tiles have different numbers of stages: a slice could be empty, and a role
/// that takes turns does not know how many stages of the other it skips.
void WgmmaChecker::checkBands() {
  if (!problem.hasBands())
    return;
  require(slices == 1, "structure",
          "{0} slices of k, but with an operand that has a band it must be 1",
          slices);
  require(!config.wgmma.pingpong, "structure",
          "pingpong = true, but with an operand that has a band it must be "
          "false: tiles have different numbers of stages");
}

/// The sums of a tile below the diagonal are stored twice, the second time as
/// with the other value of swap_ab. The tiles form square blocks.
void WgmmaChecker::checkSymmetry() {
  if (!problem.isSymmetric)
    return;
  require(slices == 1 && !config.swapAB, "structure",
          "{0} slices of k and swap_ab = {1}, but with a symmetric result they "
          "must be 1 and false",
          slices, getText("swap_ab"));
  int64_t rows = config.cta[0] * config.wgmma.cluster[0];
  int64_t columns = config.cta[1] * config.wgmma.cluster[1];
  require(rows > 0 && columns > 0 &&
              std::max(rows, columns) % std::min(rows, columns) == 0,
          "structure",
          "the tiles of a cluster are {0} x {1}, but with a symmetric result "
          "one number must be a multiple of the other",
          rows, columns);
  require(
      config.epilogue == EpilogueKind::Direct ||
          (config.epilogue == EpilogueKind::Tma && problem.hasNarrowOutputs()),
      "structure",
      "epilogue = {0}, but with a symmetric result it must be direct, or, "
      "for outputs of f16 and bf16, tma",
      getText("epilogue"));
}

void WgmmaChecker::checkCluster() {
  auto [m, n, k] = config.wgmma.cluster;
  require(isPowerOf2_64(m) && isPowerOf2_64(n) && isPowerOf2_64(k) &&
              m * n * k <= 8,
          "cluster",
          "cluster = {0}, but it must be powers of two, at most 8 CTAs in all",
          getText("cluster"));
  require(
      k <= 1 || (config.splitK == 1 && !config.persistent), "cluster",
      "cluster = {0} splits k, but with split_k = {1} and persistent = {2}; "
      "it needs 1 and false",
      getText("cluster"), config.splitK, getText("persistent"));
}

void WgmmaChecker::checkProducer() {
  if (config.wgmma.producer == ProducerKind::CpAsync) {
    require(!problem.splitsOperands(), "producer",
            "producer = cp_async, but operands of type {0} are always packed: "
            "it must be tma",
            getTypeName(problem.typeA));
    checkCopyWidths();
    checkRoundedCopies();
    require(config.wgmma.cluster[0] * config.wgmma.cluster[1] == 1, "producer",
            "producer = cp_async with cluster = {0}, but cp.async copies for "
            "its own CTA alone: it takes 1 along M and N",
            getText("cluster"));
    return;
  }
  for (auto [key, value] :
       {std::pair("copy_a", config.copyA), std::pair("copy_b", config.copyB)})
    require(value == 16, "copy-width",
            "{0} = {1}, but with producer = tma it must be 16", key, value);
}

/// cp.async does not round. Operands that are rounded pass through registers,
/// one element at a time.
void WgmmaChecker::checkRoundedCopies() {
  if (!problem.roundsOperands())
    return;
  int64_t element = problem.getBitsA() / 8;
  for (auto [key, value] :
       {std::pair("copy_a", config.copyA), std::pair("copy_b", config.copyB)})
    require(value == element, "copy-width",
            "{0} = {1}, but threads copy {2} by single elements: it must be "
            "{3}",
            key, value, getTypeName(problem.typeA), element);
}

void WgmmaChecker::checkTileShape() {
  auto names =
      config.swapAB ? std::pair("cta N", "cta M") : std::pair("cta M", "cta N");
  bool swapped = config.swapAB;
  constexpr StringLiteral rules[] = {"cta-m", "cta-n"};
  StringLiteral rowRule = rules[swapped], columnRule = rules[!swapped];
  int64_t rows = config.getRowSide(), columns = config.getColumnSide();
  int64_t unit = 64 * config.getSharers();
  require(rows > 0 && rows % unit == 0, rowRule,
          "{0} = {1}, but it must be a multiple of 64 for each of the {2} "
          "warpgroups that share a tile: {3}",
          names.first, rows, config.getSharers(), unit);
  bool kContiguous = problem.hasTileAlongK(swapped ? 0 : 1);
  int64_t multiple = getColumnStep(*instruction, problem, swapped, columns);
  require(columns > 0 && columns <= 256 && columns % multiple == 0, columnRule,
          "{0} = {1}, but it must be a multiple of {2} to 256{3}", names.second,
          columns, multiple,
          kContiguous ? "" : " where the operand is not contiguous along k");
  require(config.instruction == std::array<int64_t, 3>{64, columns, 16} ||
              config.instruction ==
                  std::array<int64_t, 3>{64, columns, instruction->k},
          "instruction",
          "instruction = {0}, but for this tile it is [64, {1}, {2}]",
          getText("instruction"), columns, instruction->k);
  // All CTAs of a cluster copy the same number of rows. The swizzle depends on
  // addresses, so that the rows may start anywhere in its pattern, but only at
  // multiples of 128 bytes.
  for (int64_t side : {0, 1}) {
    int64_t rowBits =
        std::min<int64_t>(1024, config.cta[2] * problem.getBits(side));
    int64_t whole = 1024 / std::max<int64_t>(1, rowBits);
    int64_t share = config.wgmma.cluster[1 - side], extent = config.cta[side];
    bool alongK = problem.hasTileAlongK(side);
    require(!alongK || (extent % (whole * share) == 0 && extent / share <= 256),
            "box",
            "cta {0} = {1} is copied in {2} boxes, but each must have a "
            "multiple of {3} to 256 rows",
            side ? "N" : "M", extent, share, whole);
  }
}

void WgmmaChecker::checkEpilogue() {
  require(!config.wgmma.stageInputs || (config.epilogue == EpilogueKind::Tma &&
                                        slices == 1 && !config.swapAB),
          "stage-inputs",
          "stage_inputs = true with epilogue = {0}, {1} slices of k and "
          "swap_ab = {2}, but it needs tma, 1 and false",
          getText("epilogue"), slices, getText("swap_ab"));
  require(!config.wgmma.stageInputs || problem.stageableInputs > 0,
          "stage-inputs",
          "stage_inputs = true, but the epilogue reads no matrix of f16 or "
          "bf16 whose rows run along n");
  if (config.epilogue == EpilogueKind::Direct)
    return;
  ParameterText kind = getText("epilogue");
  require(problem.tmaOutputs, "epilogue",
          "epilogue = {0}, but it can only store rows along n of f16, bf16, "
          "f32, s32 or elements of 8 bits",
          kind);
  require(!config.swapAB || problem.hasNarrowOutputs(), "epilogue",
          "epilogue = {0} with swap_ab = true, but it can only turn 16-bit "
          "outputs",
          kind);
  require(storesWholeChunks(config, problem), "epilogue",
          "epilogue = {0}, but a CTA stores rows of {1} elements of 8 bits: "
          "their number must be a multiple of 16",
          kind, getStoredColumns(config, problem));
}

void WgmmaChecker::checkResources() {
  int64_t need = estimateRegisters(config, problem);
  int64_t states = countReductions(config, problem);
  int64_t fragments = countFragmentRegisters(config, problem);
  int64_t limit = getRegisterLimit(config, chip, problem);
  std::string perSM = config.minCtas > 1
                          ? formatv(" and min_ctas = {0}", config.minCtas).str()
                          : "";
  require(need <= limit, "registers",
          "{0} accumulators{1}{2} and about {3} other registers a thread are "
          "{4}; the limit for {5} warpgroups that multiply{6} is {7}",
          need - fragments - states - kOtherRegisters,
          fragments ? formatv(", {0} of fragments", fragments).str() : "",
          states ? formatv(", {0} of reductions", states).str() : "",
          kOtherRegisters, need, config.getConsumers(), perSM, limit);
  int64_t launched = getLaunchRegisters(config);
  int64_t ofOne = countInstructionRegisters(config);
  require(
      ofOne <= launched, "registers",
      "an instruction of {0} columns takes {1} registers; the limit is what "
      "the {2} threads{3} start with: {4}",
      config.getColumnSide(), ofOne, config.getNumThreads(), perSM, launched);
  int64_t producer = getProducerRegisters(config, problem);
  require(producer <= launched, "registers",
          "the threads that copy take {0} registers; the limit is what the {1} "
          "threads{2} start with: {3}",
          producer, config.getNumThreads(), perSM, launched);
  checkSharedMemory(planSharedMemory(config, problem).getTotal(),
                    formatv("{0} stages{1}", config.stages,
                            config.epilogue == EpilogueKind::Direct
                                ? ""
                                : " and the staging tiles"));
}

ArrayRef<StringLiteral> WgmmaFamily::getKeys() const { return keys; }

SmallVector<Violation>
WgmmaFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                            const ProblemInfo &problem,
                            ViolationDetail detail) const {
  return WgmmaChecker(config, chip, problem).run(detail);
}

} // namespace tcgemm
