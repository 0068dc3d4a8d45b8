//===- Legality.cpp - The rules of schedule gemv --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small operand is A, or with swap_ab B; the large one is the other. A lane
// multiplies what it has loaded itself: nothing is staged.
//
//===----------------------------------------------------------------------===//

#include "Common/RuleChecker.h"
#include "Gemv/Family.h"
#include "tcgemm/Config/Gemv.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {
    "cta",           "warps",     "split_k",          "copy_a",
    "copy_b",        "unaligned", "epilogue",         "min_ctas",
    "max_registers", "swap_ab",   "dependent_launch", "math"};

constexpr int64_t kMostUnroll = 8;

/// Elements of a vector: 16 bytes of the narrower operand.
int64_t getVector(const ProblemInfo &problem) {
  return 16 * 8 / std::min(problem.getBitsA(), problem.getBitsB());
}

/// The lanes of a warp that read the same row.
int64_t getLanes(const KernelConfig &config) {
  return config.gemv.math == DotMath::Mma ? 4 : 32;
}

class GemvChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    checkMath();
    checkCommonCounts();
    checkWidths();
    checkWarps();
  }
  void checkShape() override;
  void checkResources() override {
    GemvShape shape = getGemvShape(config, problem);
    checkRegisterLimit(formatv("{0} rows by {1} with {2} vectors ahead",
                               shape.fewRows, shape.groupRows, shape.unroll));
    checkResidents(planSharedMemory(config, problem).getTotal());
  }
  void checkTarget();
  void checkMath();
  void checkWidths();
  void checkWarps();
  void checkRows();
  bool usesTensorCores() const { return config.gemv.math == DotMath::Mma; }
  /// M and N of the small operand's side and of the large one's: 0 or 1.
  unsigned getFew() const { return config.swapAB ? 1 : 0; }
  unsigned getMany() const { return config.swapAB ? 0 : 1; }
};

constexpr StringLiteral sideNames[] = {"M", "N"};
constexpr StringLiteral sideRules[] = {"cta-m", "cta-n"};

} // namespace

void GemvChecker::checkTarget() {
  requireCapability(80);
  require(multipliesInThreads(getPartType(problem.typeA),
                              getPartType(problem.typeB), problem.accumulator),
          "element-type",
          "schedule gemv does not multiply elements of {0} by {1}: it takes "
          "f16, bf16, f32 or f64 of both, 8-bit integers, and f16 or bf16 by 8 "
          "or 4 bits",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  require(!problem.roundsOperands() && !problem.splitsOperands(),
          "element-type",
          "elements of A and B are {0}, but schedule gemv neither rounds nor "
          "splits them",
          getTypeName(problem.typeA));
  checkConversionCapability();
  require(!problem.hasGroupScales() || problem.getGroupedOperand() == getMany(),
          "group-scales",
          "swap_ab = {0}, but {1} has scales of groups and must be the large "
          "operand: swap_ab must be {2}",
          config.get("swap_ab"), problem.getGroupedOperand() ? "B" : "A",
          problem.getGroupedOperand() ? "false" : "true");
  for (auto [name, side, alongK] : {std::tuple('A', 'm', problem.aKContiguous),
                                    std::tuple('B', 'n', problem.bKContiguous)})
    require(alongK, "layout",
            "{0} is contiguous along {1}, but schedule gemv needs rows of A "
            "and B along k",
            name, side);
  // A pass of its own over the large operand would take twice the time.
  require(
      !problem.transforms(getMany()), "element-functions",
      "elements of {0} pass a function, but schedule gemv reads the operand "
      "on the side of {1} as it is",
      getMany() ? "B" : "A", sideNames[getMany()]);
  requireDefaults();
  require(config.splitK == 1, "split-k",
          "split_k = {0}, but schedule gemv takes 1 only: warps K split k",
          config.splitK);
  requireDirectStores();
  checkDependentLaunch();
}

/// Tensor cores multiply weights of 4 bits, eight elements of a word at a time.
/// The four lanes of a row add their products, which are of one group.
void GemvChecker::checkMath() {
  if (!usesTensorCores())
    return;
  std::optional<unsigned> narrow = problem.getConvertedOperand();
  require(narrow == getMany() && problem.getBits(getMany()) == 4, "math",
          "math = mma with swap_ab = {0} and elements of {1} and {2}, but it "
          "takes 4 bits in the large operand, by f16 or bf16",
          config.get("swap_ab"), getTypeName(problem.typeA),
          getTypeName(problem.typeB));
  int64_t together = getLanes(config) * getVector(problem);
  require(!problem.hasGroupScales() || problem.groups.depth >= together,
          "group-scales",
          "math = mma adds the products of {0} elements along k before they "
          "are scaled, but a group has {1}: it must be fma",
          together, problem.groups.depth);
  require(std::min(config.copyA, config.copyB) >= 4 &&
              config.unaligned != UnalignedPath::Registers,
          "copy-width",
          "copy_a = {0}, copy_b = {1} and unaligned = {2}, but with math = mma "
          "loads must have at least 4 bytes",
          config.copyA, config.copyB, config.get("unaligned"));
}

void GemvChecker::checkWidths() {
  checkCopyWidths();
  checkElementWidths();
}

void GemvChecker::checkWarps() {
  int64_t most = chip.maxThreadsPerBlock / 32;
  bool each = all_of(
      config.warps, [&](int64_t count) { return count >= 1 && count <= most; });
  require(each && config.warps[getFew()] == 1, "warps",
          "warps = {0}, but with swap_ab = {1} they must be 1 along {2} and at "
          "least 1 along {3} and K",
          config.get("warps"), config.get("swap_ab"), sideNames[getFew()],
          sideNames[getMany()]);
  // The product of large factors might overflow.
  if (each)
    checkWarpCount();
}

/// The rows of both sides.
void GemvChecker::checkRows() {
  int64_t few = config.cta[getFew()], many = config.cta[getMany()];
  requireRange(sideRules[getFew()], config.swapAB ? "cta N" : "cta M", few, 1,
               usesTensorCores() ? GemvShape::kMostTensorRows
                                 : GemvShape::kMostFewRows);
  int64_t groups = config.warps[getMany()];
  if (!usesTensorCores()) {
    require(is_contained({groups, 2 * groups, 4 * groups}, many),
            sideRules[getMany()],
            "cta {0} = {1}, but it must be 1, 2 or 4 times the {2} warps along "
            "it",
            sideNames[getMany()], many, groups);
    return;
  }
  int64_t unit = GemvShape::kTensorRows * groups;
  require(
      is_contained({unit, 2 * unit, 4 * unit}, many), sideRules[getMany()],
      "cta {0} = {1}, but with math = mma it must be 16, 32 or 64 times the "
      "{2} warps along it",
      sideNames[getMany()], many, groups);
  int64_t columns = getGemvShape(config, problem).columns;
  require(few * many <= columns * config.getNumThreads(), sideRules[getMany()],
          "cta {0} = {1} by {2} rows, but each of the {3} threads finishes at "
          "most {4} elements",
          sideNames[getMany()], many, few, config.getNumThreads(), columns);
}

void GemvChecker::checkShape() {
  checkRows();
  int64_t round = getLanes(config) * config.warps[2] * getVector(problem);
  int64_t k = config.cta[2];
  require(k > 0 && k % round == 0 && k / round <= kMostUnroll, "cta-k",
          "cta K = {0}, but it must be {1} x {2} warps = {3}, or up to {4} "
          "times that",
          k, round / config.warps[2], config.warps[2], round, kMostUnroll);
}

ArrayRef<StringLiteral> GemvFamily::getKeys() const { return keys; }

SmallVector<Violation>
GemvFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem) const {
  return GemvChecker(config, chip, problem).run();
}

GemvShape getGemvShape(const KernelConfig &config, const ProblemInfo &problem) {
  unsigned few = config.swapAB ? 1 : 0, many = 1 - few;
  // Also of what is not legal, whose numbers may be 0.
  int64_t groups = std::max<int64_t>(1, config.warps[many]);
  int64_t slices = std::max<int64_t>(1, config.warps[2]);
  int64_t vector = getVector(problem), lanes = getLanes(config);
  // Columns that are neighbours along N.
  bool hasOne = config.swapAB || config.gemv.math == DotMath::Fma ||
                config.cta[0] * config.cta[1] <= config.getNumThreads();
  return {config.cta[few],
          config.cta[many],
          groups,
          slices,
          config.cta[many] / groups,
          config.cta[2] / (lanes * slices * vector),
          vector,
          lanes,
          hasOne ? 1 : 4};
}

SharedMemoryPlan
GemvFamily::planSharedMemory(const KernelConfig &config,
                             const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  // The sums of a group's warps.
  plan.staging =
      problem.getSumBytes() * config.warps[2] * config.cta[0] * config.cta[1];
  return plan;
}

/// A lane has a row of each 8 of both sides, and two rows of sums by two.
static int64_t estimateTensorRegisters(const GemvShape &shape, bool hasGroups) {
  constexpr int64_t words = 4, ofFew = 16, others = 20;
  int64_t many = shape.groupRows / 8, few = divideCeil(shape.fewRows, 8);
  int64_t sums = 2 * many * few, parts = hasGroups ? 4 : 0;
  int64_t scales = hasGroups ? many * (shape.unroll + 1) : 0;
  return many * shape.unroll * words + few * ofFew + sums + parts + scales +
         2 * (many + few) + others;
}

int64_t GemvFamily::estimateRegisters(const KernelConfig &config,
                                      const ProblemInfo &problem) const {
  if (config.gemv.math == DotMath::Mma)
    return estimateTensorRegisters(getGemvShape(config, problem),
                                   problem.hasGroupScales());
  // For elements of 16 bits: those of 32 make twice as many vectors, which a
  // thread has registers for, but perhaps not with min_ctas.
  GemvShape shape = getGemvShape(
      config, problem.convertsOperands() ? problem : ProblemInfo());
  // A load of two bytes takes a register of its own.
  bool hasHalves = std::min(config.copyA, config.copyB) == 2 ||
                   config.unaligned == UnalignedPath::Registers;
  int64_t words = hasHalves ? 8 : 4, ofFew = words, scales = 0;
  if (problem.convertsOperands()) {
    // Single loads are of elements of the small operand and of bytes.
    words = hasHalves ? 16 : 4;
    ofFew = hasHalves ? shape.vector : shape.vector / 2;
  }
  if (problem.hasGroupScales())
    scales = shape.groupRows * (shape.unroll + 1);
  constexpr int64_t others = 40;
  int64_t addresses = 2 * (shape.fewRows + shape.groupRows);
  int64_t sums = shape.fewRows * shape.groupRows;
  return shape.groupRows * shape.unroll * words + shape.fewRows * ofFew +
         scales + addresses + sums + others;
}

} // namespace tcgemm
