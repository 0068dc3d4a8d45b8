//===- Legality.cpp - The rules of schedule mma_sync ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"
#include "Common/RuleChecker.h"
#include "MmaSync/Family.h"
#include "tcgemm/Config/MmaSync.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

/// Bytes of shared memory for the sum over the warps along k.
static int64_t getKSplitBytes(const KernelConfig &config,
                              const ProblemInfo &problem) {
  return (config.warps[2] - 1) * config.cta[0] * config.cta[1] *
         problem.getSumBytes();
}

/// Bytes of shared memory for a staged epilogue: 16 padded rows for each warp,
/// with elements as wide as the sums.
static int64_t getStagingBytes(const KernelConfig &config,
                               const ProblemInfo &problem) {
  return config.getNumWarps() * 16 *
         (config.getWarpN() * problem.getSumBytes() + 16);
}

static bool hasDefaultInstruction(const KernelConfig &config) {
  return config.instruction == KernelConfig().instruction;
}

/// The instruction of the parameter on some chip: `first`, the widest for the
/// types, where the parameter has its default value. Null if there is none.
static const MatrixInstruction *findShape(const KernelConfig &config,
                                          const MatrixInstruction *first) {
  return !first || hasDefaultInstruction(config)
             ? first
             : findInstruction(*first, config.instruction);
}

const MatrixInstruction *findMmaSync(const KernelConfig &config,
                                     const ChipInfo &chip,
                                     const ProblemInfo &problem) {
  const MatrixInstruction *found =
      findShape(config, problem.findInstruction(InstructionKind::MmaSync));
  if (found && hasDefaultInstruction(config))
    return findWidest(*found, chip);
  return found && hasInstruction(chip, *found) ? found : nullptr;
}

bool hasWholeGroups(const ProblemInfo &problem) {
  return !problem.hasGroupScales() || problem.k <= 0 ||
         problem.k % problem.groups.depth == 0;
}

bool readsNumbers(ScalarType type) { return type == ScalarType::F64; }

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
                                  "unaligned",
                                  "shared",
                                  "fragment_buffers",
                                  "spread_copies",
                                  "loads_first",
                                  "epilogue",
                                  "min_ctas",
                                  "max_registers",
                                  "dependent_launch",
                                  "dependent_steps",
                                  "representation",
                                  "early_inputs",
                                  "stream_epilogue",
                                  "persistent",
                                  "tile_order"};

class MmaSyncChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    if (!instruction)
      return;
    checkTileShape();
    checkCounts();
  }
  void checkResources() override {
    checkTile('A', getTileA(config, problem), problem.hasTileAlongK(0),
              config.copyA);
    checkTile('B', getTileB(config, problem), problem.hasTileAlongK(1),
              config.copyB);
    checkRegisterLimit(formatv("warp tile {0}x{1} with fragment_buffers = {2}",
                               config.getWarpM(), config.getWarpN(),
                               config.fragmentBuffers));
    checkSharedMemory();
  }
  const MatrixInstruction *instruction = findMmaSync(config, chip, problem);

  void checkTarget();
  void checkInstruction();
  void checkRepresentation();
  void checkTileShape();
  void checkGroups();
  void checkCounts();
  void checkTile(char name, TileShape tile, bool kContiguous,
                 int64_t copyBytes);
  void checkSharedMemory();
};

void MmaSyncChecker::checkTarget() {
  requireCapability(80, chip.features.mmaSync);
  checkInstruction();
  if (!instruction)
    return;
  requireDefaults();
  requireThreadStores();
  checkDependentLaunch();
  requireBands();
  checkEarlyInputs(config.warps[2]);
  checkPersistent(config.warps[2]);
  checkStreaming();
  checkRepresentation();
}

void MmaSyncChecker::checkRepresentation() {
  bool isPacked = config.mmaSync.representation == RepresentationForm::Packed;
  require(
      readsNumbers(problem.typeB) || (!isPacked && !problem.representation),
      "representation",
      "{0}, but elements are {1}, and only numbers of f64 have another form "
      "than packed",
      isPacked ? "representation = packed" : "B is numbers as blocks",
      getTypeName(problem.typeB));
  require(!isPacked || !problem.representation, "representation",
          "representation = packed, but the kernel reads numbers as blocks: "
          "give the parameter to the pass that writes the kernel, by "
          "tcgemm.config or the pipeline's config");
}

void MmaSyncChecker::checkInstruction() {
  const MatrixInstruction *first =
      problem.findInstruction(InstructionKind::MmaSync);
  require(first, "element-type",
          "no mma.sync multiplies elements of type {0} by {1}",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  if (!first)
    return;
  const MatrixInstruction *asked = findShape(config, first);
  require(asked, "instruction",
          "instruction = {0}, but schedule mma_sync has {1} only",
          getText("instruction"), getShapeNames(*first));
  checkConversionCapability();
  if (!asked || instruction || chip.capability < 80)
    return;
  if (hasDefaultInstruction(config))
    require(false, "element-type",
            "mma.sync of {0} by {1} needs compute capability {2}, but chip {3} "
            "has {4}",
            getTypeName(problem.typeA), getTypeName(problem.typeB),
            asked->capability, chip.name, chip.capability);
  else
    require(false, "instruction",
            "instruction = {0} of {1} needs compute capability {2}, but chip "
            "{3} has {4}",
            getText("instruction"), getTypeName(problem.typeA),
            asked->capability, chip.name, chip.capability);
}

void MmaSyncChecker::checkTileShape() {
  auto [ctaM, ctaN, ctaK] = config.cta;
  auto [warpsM, warpsN, warpsK] = config.warps;
  bool warpsValid = all_of(config.warps, [](int64_t n) { return n >= 1; });
  require(warpsValid, "warps",
          "warps = {0}, but each must be at least 1 and at most {1} together",
          getText("warps"), chip.maxThreadsPerBlock / 32);
  int64_t step = getFragmentDepth(*instruction, problem.typeA, problem.typeB);
  require(ctaK >= step && ctaK <= 8 * step && isPowerOf2_64(ctaK), "cta-k",
          "cta K = {0}, but it must be a power of two from {1} to {2}", ctaK,
          step, 8 * step);
  if (!warpsValid)
    return;
  require(ctaM > 0 && ctaM % (warpsM * 16) == 0, "cta-m",
          "cta M = {0}, but it must be a multiple of 16 x {1} warps = {2}",
          ctaM, warpsM, 16 * warpsM);
  require(ctaN > 0 && ctaN % (warpsN * 16) == 0, "cta-n",
          "cta N = {0}, but it must be a multiple of 16 x {1} warps = {2}",
          ctaN, warpsN, 16 * warpsN);
  require(ctaK % (step * warpsK) == 0, "warps-k",
          "warps K = {0}, but it must divide the {1} k-steps of cta K = {2}",
          warpsK, ctaK / step, ctaK);
  checkWarpCount();
  checkGroups();
}

/// The sum of a warp's elements in a stage, or of a part of them, is of one
/// group.
void MmaSyncChecker::checkGroups() {
  if (!problem.hasGroupScales())
    return;
  int64_t depth = problem.groups.depth;
  require(hasWholeGroups(problem), "group-scales",
          "K = {0}, but with scales of groups it must be a multiple of {1}, or "
          "the schedule gemv",
          problem.k, depth);
  int64_t step = getFragmentDepth(*instruction, problem.typeA, problem.typeB);
  require(depth >= step, "group-scales",
          "scales of groups of {0} elements, but with {1} by {2} and schedule "
          "mma_sync a group must have at least {3}",
          depth, getTypeName(problem.typeA), getTypeName(problem.typeB), step);
  // A fragment of deeper tiles has every other run of twice its depth.
  int64_t own = config.cta[2] / std::max<int64_t>(1, config.warps[2]);
  require(depth < step || depth >= 2 * step || own == depth, "group-scales",
          "cta K = {0} for {1} warps along it, but with scales of groups of "
          "{2} elements a warp must have {2}",
          config.cta[2], config.warps[2], depth);
}

void MmaSyncChecker::checkCounts() {
  checkCommonCounts();
  requireRange("fragment-buffers", "fragment_buffers", config.fragmentBuffers,
               1, 3);
  int64_t steps = config.cta[2] /
                  getFragmentDepth(*instruction, problem.typeA, problem.typeB) /
                  std::max<int64_t>(1, config.warps[2]);
  require(config.fragmentBuffers - 1 <= std::max<int64_t>(1, steps),
          "fragment-buffers",
          "fragment_buffers = {0}, but one less must not exceed the {1} "
          "k-steps of a warp",
          config.fragmentBuffers, steps);
  checkCopyWidths();
  checkElementWidths();
}

void MmaSyncChecker::checkTile(char name, TileShape tile, bool kContiguous,
                               int64_t copyBytes) {
  unsigned operand = name == 'A' ? 0 : 1;
  int64_t rowBytes = tile.columns * problem.getBits(operand) / 8;
  bool turns = config.mmaSync.shared == SharedLayout::Sectors && kContiguous;
  int64_t least = turns ? 128 : 32;
  if (config.mmaSync.shared == SharedLayout::Pad)
    require(rowBytes % 16 == 0, "tile-row",
            "the rows of {0}'s tile have {1} bytes, but shared = pad needs a "
            "multiple of 16",
            name, rowBytes);
  else
    require(isPowerOf2_64(rowBytes) && rowBytes >= least && rowBytes <= 1024,
            "tile-row",
            "the rows of {0}'s tile have {1} bytes, but shared = {2} needs a "
            "power of two from {3} to 1024",
            name, rowBytes, getText("shared"), least);
  checkCopies(name, tile, copyBytes);
  require(!problem.splitsOperands() || config.unaligned == UnalignedPath::Pack,
          "copy-width",
          "unaligned = {0}, but operands of type {1} are always packed: it "
          "must be pack",
          getText("unaligned"), getTypeName(problem.typeA));
  // Copies of an unaligned operand have another width.
  int64_t unaligned = getUnalignedBytes(config.unaligned, problem, operand);
  if (unaligned && unaligned != copyBytes)
    checkCopies(name, tile, unaligned);
}

void MmaSyncChecker::checkSharedMemory() {
  int64_t bytes = planSharedMemory(config, problem).ring;
  checkRing();
  require(getKSplitBytes(config, problem) <= bytes, "k-split-buffer",
          "warps K = {0} sum through {1} bytes of shared memory, but the ring "
          "has {2}",
          config.warps[2], getKSplitBytes(config, problem), bytes);
  require(config.epilogue != EpilogueKind::Staged ||
              getStagingBytes(config, problem) <= bytes,
          "staging",
          "epilogue = staged goes through {0} bytes of shared memory, but the "
          "ring has {1}",
          getStagingBytes(config, problem), bytes);
}

} // namespace

SharedMemoryPlan
MmaSyncFamily::planSharedMemory(const KernelConfig &config,
                                const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  bool pads = config.mmaSync.shared == SharedLayout::Pad;
  plan.ring = getRingBytes(config, problem, pads, pads);
  plan.staging = getKSplitBytes(config, problem);
  if (config.epilogue == EpilogueKind::Staged)
    plan.staging = std::max(plan.staging, getStagingBytes(config, problem));
  plan.reusesRing = true;
  return plan;
}

/// Bytes of a row that a fragment holds.
int64_t MmaSyncFamily::getFragmentRowBytes(const KernelConfig &config,
                                           const ProblemInfo &problem) const {
  const MatrixInstruction *first =
      problem.findInstruction(InstructionKind::MmaSync);
  const MatrixInstruction *asked = findShape(config, first);
  const MatrixInstruction *instruction = asked ? asked : first;
  if (!instruction)
    return ScheduleFamily::getFragmentRowBytes(config, problem);
  return getFragmentDepth(*instruction, problem.typeA, problem.typeB) *
         problem.getMultipliedBits() / 8;
}

ArrayRef<StringLiteral> MmaSyncFamily::getKeys() const { return keys; }

SmallVector<Violation>
MmaSyncFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                              const ProblemInfo &problem,
                              ViolationDetail detail) const {
  return MmaSyncChecker(config, chip, problem).run(detail);
}

} // namespace tcgemm
