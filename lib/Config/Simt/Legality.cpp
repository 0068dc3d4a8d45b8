//===- Legality.cpp - The rules of schedule simt --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters BM, BN, BK, tx, ty and their rules are those of Y. Li,
// J. Dongarra and S. Tomov, "A Note on Auto-tuning GEMM for GPUs": tx and ty
// are the threads along N and M. A third factor, groups of threads that split
// each k-tile, is the LocalSplitU of D. Tanner, "Tensile: Auto-tuning GEMM GPU
// Assembly for All Problem Sizes" (2018), whose NumLoadsCoalesced are the
// copies of a row.
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueRegisters.h"
#include "Common/Multistage.h"
#include "Common/RuleChecker.h"
#include "Simt/Family.h"
#include "tcgemm/Config/Simt.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {"cta",
                                  "stages",
                                  "raster",
                                  "raster_group",
                                  "split_k",
                                  "slice_order",
                                  "copy_a",
                                  "copy_b",
                                  "unaligned",
                                  "fragment_buffers",
                                  "spread_copies",
                                  "loads_first",
                                  "epilogue",
                                  "min_ctas",
                                  "max_registers",
                                  "threads",
                                  "transpose_staging",
                                  "stage_a",
                                  "stage_b",
                                  "row_copies_a",
                                  "row_copies_b",
                                  "early_inputs",
                                  "stream_epilogue",
                                  "persistent",
                                  "tile_order"};

class SimtChecker : public RuleChecker {
public:
  using RuleChecker::RuleChecker;

private:
  void checkParameters() override {
    checkTarget();
    checkCommonCounts(/*leastStages=*/1);
    checkWidths();
    checkThreads();
  }
  void checkShape() override;
  void checkResources() override {
    checkTile('A', getTileA(config, problem), problem.hasTileAlongK(0), 0);
    checkTile('B', getTileB(config, problem), problem.hasTileAlongK(1), 1);
    checkRegisterLimit(formatv("thread tile {0}x{1} with fragment_buffers = "
                               "{2}",
                               config.getThreadM(), config.getThreadN(),
                               config.fragmentBuffers));
    checkRing();
    checkSums();
  }
  void checkTarget();
  void checkSums();
  void checkWidths();
  void checkThreads();
  void checkTile(char name, TileShape tile, bool kContiguous, unsigned operand);
};

} // namespace

void SimtChecker::checkTarget() {
  require(chip.features.cpAsync, "chip",
          "chip {0} has no cp.async, which schedule simt needs", chip.name);
  require(problem.findInstruction(InstructionKind::Fma), "element-type",
          "elements of A and B are {0} and {1}, but schedule simt takes f32, "
          "f64, i32 or 8-bit integers",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  require(!config.simt.transposeStaging || !problem.hasElementBits(8), "layout",
          "transpose_staging = true, but registers hold 4 neighbours along k: "
          "with elements of {0} and {1} it must be false",
          getTypeName(problem.typeA), getTypeName(problem.typeB));
  bool keepsOrder = config.splitK == 1 && config.simt.threads[2] == 1;
  require(problem.algebra.isDefault() || keepsOrder ||
              !problem.algebra.isOrdered(problem.accumulator),
          "algebra",
          "split_k = {0} and threads = {1}, but the reductions of {2} of {3} "
          "round, and must be in the order of k: split_k and the groups of "
          "threads must be 1",
          config.splitK, getText("threads"), problem.algebra.str(),
          getTypeName(problem.accumulator));
  requireDefaults();
  requireBands();
  requireDirectStores();
  checkEarlyInputs(config.simt.threads[2]);
  checkPersistent(config.simt.threads[2]);
  checkStreaming();
  require(config.stageA || config.stageB, "staging",
          "stage_a = false and stage_b = false, but schedule simt copies at "
          "least one operand through shared memory");
  requireRange("row-copies", "row_copies_a", config.simt.rowCopiesA, 0, 64);
  requireRange("row-copies", "row_copies_b", config.simt.rowCopiesB, 0, 64);
}

void SimtChecker::checkWidths() {
  for (auto [key, value] :
       {std::pair("copy_a", config.copyA), std::pair("copy_b", config.copyB)})
    require(is_contained({4, 8, 16}, value), "copy-width",
            "{0} = {1}, but with schedule simt it must be 16, 8 or 4 bytes",
            key, value);
  require(config.unaligned != UnalignedPath::Registers, "copy-width",
          "unaligned = registers, but schedule simt has pack, copy_8 and "
          "copy_4");
  if (violations.empty())
    checkElementWidths();
}

void SimtChecker::checkThreads() {
  auto [m, n, k] = config.simt.threads;
  bool each = all_of(config.simt.threads, [&](int64_t count) {
    return count >= 1 && count <= chip.maxThreadsPerBlock;
  });
  require(
      each && is_contained({1, 2, 4, 8}, k) &&
          m * n * k <= chip.maxThreadsPerBlock,
      "threads",
      "threads = {0}, but those along M and N must be at least 1, the groups "
      "along K 1, 2, 4 or 8, and their product at most {1}, the limit of {2}",
      getText("threads"), chip.maxThreadsPerBlock, chip.name);
  require(!each || m * n * k % 32 == 0, "warps",
          "threads = {0} make {1}, but they must be whole warps of 32",
          getText("threads"), m * n * k);
  require(!each || m * n % 32 == 0 || 32 % (m * n) == 0, "warps",
          "threads = {0} are groups of {1}, but a group must have whole warps "
          "of 32 or divide one",
          getText("threads"), m * n);
  requireRange("cta-k", "cta K", config.cta[2], 1, 64);
}

void SimtChecker::checkShape() {
  auto [m, n, k] = config.cta;
  auto [threadsM, threadsN, threadsK] = config.simt.threads;
  require(m > 0 && m % threadsM == 0, "cta-m",
          "cta M = {0}, but it must be a multiple of the {1} threads along it",
          m, threadsM);
  require(n > 0 && n % threadsN == 0, "cta-n",
          "cta N = {0}, but it must be a multiple of the {1} threads along it",
          n, threadsN);
  // The rule for a row that is one copy of each thread.
  bool hasRowCopies =
      config.simt.rowCopiesA != 1 || config.simt.rowCopiesB != 1;
  require(hasRowCopies || config.getNumThreads() % k == 0, "threads-k",
          "threads = {0} make {1}, but they must be a multiple of cta K = {2}, "
          "unless row_copies_a or row_copies_b is not 1",
          getText("threads"), config.getNumThreads(), k);
  int64_t depth = getSimtDepth(config, problem);
  require(k % depth == 0, "cta-k",
          "cta K = {0}, but with transpose_staging = false it must be a "
          "multiple of {1}",
          k, depth);
  require(threadsK == 1 || k % (depth * threadsK) == 0, "cta-k",
          "cta K = {0}, but {1} groups of threads with steps of {2} need a "
          "multiple of {3}",
          k, threadsK, depth, depth * threadsK);
  int64_t steps = k / (depth * threadsK);
  requireRange("fragment-buffers", "fragment_buffers", config.fragmentBuffers,
               1, 3);
  require(config.fragmentBuffers - 1 <= std::max<int64_t>(1, steps),
          "fragment-buffers",
          "fragment_buffers = {0}, but one less must not exceed the {1} "
          "k-steps of a thread",
          config.fragmentBuffers, steps);
}

/// Shared memory for the sums of all groups but one, which reuse the ring's.
static int64_t getGroupSumBytes(const KernelConfig &config,
                                const ProblemInfo &problem) {
  return (config.simt.threads[2] - 1) * config.cta[0] * config.cta[1] *
         problem.getSumBytes();
}

void SimtChecker::checkSums() {
  SharedMemoryPlan plan = planSharedMemory(config, problem);
  require(
      plan.staging <= chip.sharedPerBlock, "k-split-buffer",
      "threads K = {0} sum through {1} bytes of shared memory; the limit of "
      "{2} is {3}",
      config.simt.threads[2], plan.staging, chip.name, chip.sharedPerBlock);
  if (plan.staging > plan.ring)
    checkResidents(plan.staging);
}

void SimtChecker::checkTile(char name, TileShape tile, bool kContiguous,
                            unsigned operand) {
  int64_t rowBytes = tile.columns * problem.getBits(operand) / 8;
  require(rowBytes % 16 == 0, "tile-row",
          "the rows of {0}'s tile have {1} bytes, but schedule simt needs a "
          "multiple of 16",
          name, rowBytes);
  // Tiles that are transposed are copied in their rows along k.
  if (isStagingTransposed(config, kContiguous))
    tile = {tile.columns, tile.rows};
  int64_t bytes = getCopyBytes(config, problem, operand);
  checkCopyThreads(name, tile, bytes,
                   getSimtRowCopies(config, problem, operand));
  if (config.unaligned == UnalignedPath::Pack)
    return;
  // Copies of an unaligned operand have another width.
  KernelConfig narrow = config;
  narrow.copyA = narrow.copyB =
      getUnalignedBytes(config.unaligned, problem, operand);
  int64_t narrowBytes = getCopyBytes(narrow, problem, operand);
  if (narrowBytes != bytes)
    checkCopyThreads(name, tile, narrowBytes,
                     getSimtRowCopies(narrow, problem, operand));
}

ArrayRef<StringLiteral> SimtFamily::getKeys() const { return keys; }

SmallVector<Violation>
SimtFamily::findViolations(const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem,
                           ViolationDetail detail) const {
  return SimtChecker(config, chip, problem).run(detail);
}

bool isStagingTransposed(const KernelConfig &config, bool kContiguous) {
  return config.schedule == Schedule::Simt && config.simt.transposeStaging &&
         kContiguous;
}

/// Elements of 16 bytes, the widest access to shared memory.
static int64_t getVectorElements(const ProblemInfo &problem) {
  return 128 / problem.getBitsA();
}

int64_t getSimtDepth(const KernelConfig &config, const ProblemInfo &problem) {
  bool alongK = problem.hasTileAlongK(0) || problem.hasTileAlongK(1);
  return alongK && !config.simt.transposeStaging ? getVectorElements(problem)
                                                 : 1;
}

int64_t getSimtVector(const KernelConfig &config, const ProblemInfo &problem,
                      unsigned operand) {
  if (problem.hasTileAlongK(operand) && !config.simt.transposeStaging)
    return 1;
  int64_t held = operand ? config.getThreadN() : config.getThreadM();
  return std::gcd(held, getVectorElements(problem));
}

int64_t getSimtRowCopies(const KernelConfig &config, const ProblemInfo &problem,
                         unsigned operand) {
  if (int64_t asked = config.simt.getRowCopies(operand))
    return asked;
  TileShape tile =
      operand ? getTileB(config, problem) : getTileA(config, problem);
  if (isStagingTransposed(config, problem.hasTileAlongK(operand)))
    tile = {tile.columns, tile.rows};
  int64_t threads = config.getNumThreads();
  int64_t chunks = tile.columns * problem.getBits(operand) / 8 /
                   getCopyBytes(config, problem, operand);
  return tile.rows * chunks <= threads ? 1 : chunks / std::gcd(chunks, threads);
}

/// A tile that is transposed on its way has its rows across k.
TileShape SimtFamily::getTile(const KernelConfig &config,
                              const ProblemInfo &problem,
                              unsigned operand) const {
  if (isStagingTransposed(config, problem.hasTileAlongK(operand)))
    return {config.cta[2], config.cta[operand]};
  return ScheduleFamily::getTile(config, problem, operand);
}

int64_t SimtFamily::getCopyBytes(const KernelConfig &config,
                                 const ProblemInfo &problem,
                                 unsigned operand) const {
  if (isStagingTransposed(config, problem.hasTileAlongK(operand)))
    return problem.getBits(operand) / 8;
  return ScheduleFamily::getCopyBytes(config, problem, operand);
}

/// Tiles that are written or read across their rows are padded.
SharedMemoryPlan
SimtFamily::planSharedMemory(const KernelConfig &config,
                             const ProblemInfo &problem) const {
  SharedMemoryPlan plan;
  // An operand that is not staged is staged all the same where it is too badly
  // aligned.
  plan.ring = getRingBytes(config, problem, problem.hasTileAlongK(0),
                           problem.hasTileAlongK(1));
  plan.staging = getGroupSumBytes(config, problem);
  plan.reusesRing = true;
  return plan;
}

int64_t SimtFamily::estimateRegisters(const KernelConfig &config,
                                      const ProblemInfo &problem) const {
  int64_t m = config.getThreadM(), n = config.getThreadN();
  // Rows along k that are not transposed come in vectors.
  int64_t depth = config.simt.transposeStaging ? 1 : getVectorElements(problem);
  constexpr int64_t addresses = 26;
  int64_t elements =
      (m + n) * depth * std::min<int64_t>(2, config.fragmentBuffers);
  // Each run of an operand in global memory has an address of 64 bits.
  int64_t runs = 0;
  for (unsigned operand : {0, 1})
    if (!config.isStaged(operand))
      runs += (operand ? n : m) / getSimtVector(config, problem, operand);
  int64_t accumulators = m * n * problem.getSumBytes() / 4;
  int64_t ofLoop = accumulators + elements * problem.getBitsA() / 32 +
                   addresses + 2 * runs +
                   countEarlyInputs({m, n}, config, problem);
  constexpr int64_t ofEpilogue = 40;
  return addReductions(addCombinations(ofLoop, {m, n}, config, problem),
                       accumulators, ofEpilogue, {m, n}, problem);
}

} // namespace tcgemm
