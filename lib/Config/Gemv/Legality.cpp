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
    "max_registers", "swap_ab",   "dependent_launch", "math",
    "loads",         "stages",    "dependent_steps"};

/// Vectors of a lane and row in an iteration; and the same of a large operand
/// that is not contiguous along k.
constexpr int64_t kMostUnroll = 8, kMostUnrollAcross = 16;

/// Elements of a vector: 16 bytes of the narrower operand, or across rows of
/// the large one.
int64_t getVector(const KernelConfig &config, const ProblemInfo &problem) {
  return 16 * 8 /
         (isAcross(problem, config.swapAB)
              ? problem.getBits(config.swapAB ? 0 : 1)
              : std::min(problem.getBitsA(), problem.getBitsB()));
}

/// The lanes of a warp that read different rows; at least 1, also of what is
/// not legal.
int64_t getAcross(const KernelConfig &config, const ProblemInfo &problem) {
  unsigned many = config.swapAB ? 0 : 1;
  int64_t groups = std::max<int64_t>(1, config.warps[many]);
  int64_t lanes = config.cta[many] / groups / getVector(config, problem);
  return std::clamp<int64_t>(lanes, 1, 32);
}

/// The lanes of a warp that read the same row.
int64_t getLanes(const KernelConfig &config, const ProblemInfo &problem) {
  if (isAcross(problem, config.swapAB))
    return 32 / getAcross(config, problem);
  return config.gemv.math == DotMath::Mma ? 4 : 32;
}

bool copiesAhead(const KernelConfig &config) {
  return config.gemv.loads == DotLoads::Shared;
}

class GemvChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    checkMath();
    checkLoads();
    checkCommonCounts();
    checkWidths();
    checkWarps();
  }
  void checkShape() override;
  void checkResources() override {
    GemvShape shape = getGemvShape(config, problem);
    checkRegisterLimit(formatv("{0} rows by {1} with {2} vectors ahead",
                               shape.fewRows, shape.groupRows, shape.unroll));
    checkSharedMemory(
        planSharedMemory(config, problem).getTotal(),
        formatv("vectors of {0} stages and the sums of warps", config.stages));
  }
  void checkTarget();
  void checkMath();
  void checkLoads();
  void checkWidths();
  void checkWarps();
  void checkRows();
  void checkLayout();
  void checkRowsAcross(int64_t few, int64_t many, int64_t groups);
  bool readsAcross() const { return isAcross(problem, config.swapAB); }
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
          getText("swap_ab"), problem.getGroupedOperand() ? "B" : "A",
          problem.getGroupedOperand() ? "false" : "true");
  checkLayout();
  // A pass of its own over the large operand would take twice the time.
  require(
      !problem.transforms(getMany()), "element-functions",
      "elements of {0} pass a function, but schedule gemv reads the operand "
      "on the side of {1} as it is",
      getMany() ? "B" : "A", sideNames[getMany()]);
  requireDefaults();
  bool sharesBytes = getPackedElements(problem.typeA) > 1 ||
                     getPackedElements(problem.typeB) > 1;
  require(config.splitK == 1 || !sharesBytes, "split-k",
          "split_k = {0}, but with elements that share bytes schedule gemv "
          "takes 1: warps K split k",
          config.splitK);
  requireDirectStores();
  checkDependentLaunch();
}

/// Operands may be contiguous along k or not, but for elements that share
/// bytes. Single elements are loaded of a small operand beside a large one that
/// is not.
void GemvChecker::checkLayout() {
  for (auto [name, side, type, alongK] :
       {std::tuple('A', 'm', problem.typeA, problem.aKContiguous),
        std::tuple('B', 'n', problem.typeB, problem.bKContiguous)})
    require(alongK || getPackedElements(type) == 1, "layout",
            "{0} is contiguous along {1}, but schedule gemv needs rows of "
            "elements of {2} along k",
            name, side, getTypeName(type));
  require(!problem.hasGroupScales() ||
              (problem.aKContiguous && problem.bKContiguous),
          "layout",
          "A or B is not contiguous along k, but schedule gemv needs that of "
          "both for products with scales of groups");
  require(!usesTensorCores() || (problem.aKContiguous && problem.bKContiguous),
          "math",
          "math = mma, but A or B is not contiguous along k: it must be fma");
  ScalarType typeOfFew = getFew() ? problem.typeB : problem.typeA;
  require(!readsAcross() || getPackedElements(typeOfFew) == 1, "layout",
          "elements of the small operand are {0} and share bytes, but beside a "
          "large operand that is not contiguous along k single elements are "
          "loaded",
          getTypeName(typeOfFew));
  int64_t ofFew = getFew() ? config.copyB : config.copyA;
  require(!readsAcross() || ofFew == KernelConfig().copyA, "copy-width",
          "copy_{0} = {1}, but beside a large operand that is not contiguous "
          "along k single elements are loaded: it must be {2}",
          getFew() ? 'b' : 'a', ofFew, KernelConfig().copyA);
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
          getText("swap_ab"), getTypeName(problem.typeA),
          getTypeName(problem.typeB));
  int64_t together = getLanes(config, problem) * getVector(config, problem);
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
          config.copyA, config.copyB, getText("unaligned"));
}

/// Lanes copy ahead what tensor cores multiply. Threads have enough loads in
/// flight without.
void GemvChecker::checkLoads() {
  if (!copiesAhead(config)) {
    require(config.stages == KernelConfig().stages, "stages",
            "stages = {0}, but with loads = registers nothing is staged: it "
            "must be {1}",
            config.stages, KernelConfig().stages);
    return;
  }
  require(usesTensorCores(), "loads",
          "loads = shared with math = {0}, but only vectors for tensor cores "
          "are copied ahead: math must be mma, or loads must be registers",
          getText("math"));
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
          getText("warps"), getText("swap_ab"), sideNames[getFew()],
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
  if (readsAcross())
    return checkRowsAcross(few, many, groups);
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

/// The lanes of a warp divide its rows and k.
void GemvChecker::checkRowsAcross(int64_t few, int64_t many, int64_t groups) {
  StringLiteral rule = sideRules[getMany()], side = sideNames[getMany()];
  int64_t vector = getVector(config, problem), unit = vector * groups;
  bool isWhole = many > 0 && many % unit == 0 && isPowerOf2_64(many / unit) &&
                 many / unit <= 32;
  require(isWhole, rule,
          "cta {0} = {1}, but the large operand is contiguous along it: it "
          "must be {2} elements x {3} warps = {4}, times a power of two up to "
          "32",
          side, many, vector, groups, unit);
  int64_t columns = getGemvShape(config, problem).columns;
  require(few * many <= columns * config.getNumThreads(), rule,
          "cta {0} = {1} by {2} rows, but each of the {3} threads finishes at "
          "most {4} elements",
          side, many, few, config.getNumThreads(), columns);
}

void GemvChecker::checkShape() {
  checkRows();
  int64_t lanes = getLanes(config, problem);
  int64_t vector = readsAcross() ? 1 : getVector(config, problem);
  int64_t round = lanes * config.warps[2] * vector;
  int64_t most = readsAcross() ? kMostUnrollAcross : kMostUnroll;
  int64_t k = config.cta[2];
  require(k > 0 && k % round == 0 && k / round <= most, "cta-k",
          "cta K = {0}, but it must be {1} x {2} warps = {3}, or up to {4} "
          "times that",
          k, round / config.warps[2], config.warps[2], round, most);
}

ArrayRef<StringLiteral> GemvFamily::getKeys() const { return keys; }

SmallVector<Violation>
GemvFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem,
                           ViolationDetail detail) const {
  return GemvChecker(config, chip, problem).run(detail);
}

GemvShape getGemvShape(const KernelConfig &config, const ProblemInfo &problem) {
  unsigned few = config.swapAB ? 1 : 0, many = 1 - few;
  // Also of what is not legal, whose numbers may be 0.
  int64_t groups = std::max<int64_t>(1, config.warps[many]);
  int64_t slices = std::max<int64_t>(1, config.warps[2]);
  int64_t vector = getVector(config, problem);
  int64_t lanes = getLanes(config, problem);
  int64_t across = isAcross(problem, config.swapAB) ? getAcross(config, problem)
                                                    : int64_t(0);
  // Columns that are neighbours along N.
  bool hasOne = config.swapAB ||
                (config.gemv.math == DotMath::Fma && !across) ||
                config.cta[0] * config.cta[1] <= config.getNumThreads();
  return {config.cta[few],
          config.cta[many],
          groups,
          slices,
          config.cta[many] / groups,
          config.cta[2] / (lanes * slices * (across ? 1 : vector)),
          vector,
          lanes,
          hasOne ? 1 : 4,
          across};
}

SharedMemoryPlan
GemvFamily::planSharedMemory(const KernelConfig &config,
                             const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  // The vectors that lanes have copied, and the sums of a group's warps.
  if (copiesAhead(config))
    plan.ring = config.stages * config.cta[config.swapAB ? 0 : 1] *
                config.cta[2] * problem.getBits(config.swapAB ? 0 : 1) / 8;
  plan.staging =
      problem.getSumBytes() * config.warps[2] * config.cta[0] * config.cta[1];
  return plan;
}

/// A lane has a row of each 8 of both sides, and two rows of sums by two.
static int64_t estimateTensorRegisters(const GemvShape &shape, bool hasGroups,
                                       bool copiesAhead) {
  constexpr int64_t words = 4, ofFew = 16, others = 20;
  int64_t many = shape.groupRows / 8, few = divideCeil(shape.fewRows, 8);
  int64_t sums = 2 * many * few, parts = hasGroups ? 4 : 0;
  int64_t scales = hasGroups ? many * (shape.unroll + 1) : 0;
  // Scales of the next iterations stay in registers, vectors do not.
  if (copiesAhead)
    return many * (words + (hasGroups ? 3 * shape.unroll : 0)) + few * ofFew +
           sums + parts + 2 * (many + few) + others;
  return many * shape.unroll * words + few * ofFew + sums + parts + scales +
         2 * (many + few) + others;
}

/// A lane has a load of `vector` rows at each k of an iteration, an element of
/// each row of the small operand, and a sum for each pair of rows.
static int64_t estimateRegistersAcross(const GemvShape &shape,
                                       const ProblemInfo &problem) {
  constexpr int64_t words = 4, others = 40;
  int64_t ofSum = problem.getSumBytes() / 4;
  int64_t sums = shape.fewRows * shape.vector * ofSum;
  int64_t elements = shape.vector + shape.fewRows;
  // Loads of single elements have an address each.
  int64_t addresses = 2 * (shape.fewRows + shape.vector);
  return shape.unroll * (words + shape.fewRows * ofSum) + sums +
         elements * ofSum + addresses + others;
}

int64_t GemvFamily::estimateRegisters(const KernelConfig &config,
                                      const ProblemInfo &problem) const {
  if (isAcross(problem, config.swapAB))
    return estimateRegistersAcross(getGemvShape(config, problem), problem);
  if (config.gemv.math == DotMath::Mma)
    return estimateTensorRegisters(getGemvShape(config, problem),
                                   problem.hasGroupScales(),
                                   copiesAhead(config));
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
