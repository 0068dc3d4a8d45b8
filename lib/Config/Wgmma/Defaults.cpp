//===- Defaults.cpp - A wgmma configuration without tuning ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From runs on an H200, as the default model of mma_sync: the estimate ranks a
// few dozen configurations and promises nothing.
//
//===----------------------------------------------------------------------===//

#include "Common/Counts.h"
#include "Common/Roofline.h"
#include "Wgmma/Candidates.h"
#include "Wgmma/Family.h"
#include "Wgmma/FewColumns.h"
#include "Wgmma/Registers.h"
#include "Wgmma/SharedMemory.h"
#include "Wgmma/Structure.h"
#include "tcgemm/Config/MmaSync.h"
#include "tcgemm/Config/WorkTerms.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// M and N of a tile, the warpgroups that multiply, and whether B takes the
/// instruction's rows.
struct Candidate {
  int64_t m, n, consumers;
  bool swapAB;
};

constexpr Candidate candidates[] = {
    {128, 256, 2, false}, {256, 128, 2, false}, {256, 168, 2, false},
    {256, 176, 2, false}, {128, 192, 2, false}, {128, 128, 2, false},
    {64, 256, 1, false},  {64, 128, 1, false},  {128, 64, 2, false},
    {64, 64, 1, false},   {64, 32, 1, false},   {128, 32, 2, false},
    {128, 16, 2, false},  {64, 16, 1, false},   {64, 128, 2, true},
    {32, 128, 2, true},   {16, 128, 2, true},   {32, 64, 1, true},
    {16, 64, 1, true},
};

constexpr std::pair<int64_t, int64_t> clusters[] = {{1, 1}, {2, 1}, {1, 2}};

constexpr int64_t sliceCounts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};

class Estimate {
public:
  Estimate(const KernelConfig &c, const ChipInfo &chip,
           const ProblemInfo &problem, const KernelWork &work)
      : c(c), chip(chip), problem(problem), work(work) {}

  double getNanoseconds() const {
    constexpr double launch = 2000, prologue = 1200;
    double compute = prologue + getComputeTime();
    // Tiles that are not multiplied are not copied.
    double dram =
        getMemoryTime(work, chip.speed.dramGBs) * getKeptDepth(c, problem).mean;
    return launch + combineBounds({compute, dram}) +
           getReductionTime(work, chip.speed.l2GBs / 2);
  }

private:
  double getStageTime() const {
    constexpr double efficiency = 0.72, bytesPerClock = 80, latency = 900;
    double clock = chip.speed.clockGHz;
    auto [m, n, k] = c.cta;
    // A narrow instruction waits for its rows: as if it had 64 columns.
    double macs = work.rowMacs * std::max(64.0, work.columns);
    double tensor = macs * problem.getRelativeWidth() /
                    (2 * chip.speed.macsPerClock * clock * efficiency);
    // Rows that are not whole lines come in one line more.
    double cut = problem.getDepth() % 64 ? 1.25 : 1;
    double ingest = work.stageBytes * cut / (bytesPerClock * clock);
    double resident = std::min(work.ctas, work.processors);
    double shared = problem.getBitsA() * double(m) / c.wgmma.cluster[1] +
                    problem.getBitsB() * double(n) / c.wgmma.cluster[0];
    // TMA reaches more of the L2 cache's speed than cp.async does.
    double l2 = shared / 8 * k * cut * resident / (1.8 * chip.speed.l2GBs);
    // Counted from the instructions that convert a register of two elements.
    // Most of them run under products.
    constexpr double convertedPerClock = 28, uncovered = 0.25;
    double convert = problem.convertsOperands()
                         ? work.rowMacs / (convertedPerClock * clock)
                         : 0;
    tensor = std::max(tensor, convert) + uncovered * convert;
    return std::max({tensor, ingest, l2, latency / (work.stages - 1)});
  }

  double getComputeTime() const {
    // Most of an epilogue runs under the next tile's copies.
    constexpr double perTile = 150, exposed = 0.15;
    double epilogue = double(problem.epilogueBytes) * c.cta[0] * c.cta[1] /
                      (chip.speed.dramGBs / work.processors);
    // The search tries no clusters along k, which would have fewer.
    int64_t iterations =
        divideCeil(divideCeil(problem.getDepth(), c.cta[2]), c.splitK);
    double tiles = work.ctas * getKeptTiles(c, problem);
    double rounds = std::ceil(tiles / work.processors);
    // Tiles with unequal work are divided among the CTAs, down to single ones.
    KeptDepth kept = getKeptDepth(c, problem);
    double depths = std::max(kept.most, kept.mean * rounds);
    return depths * iterations * getStageTime() +
           rounds * (perTile + exposed * epilogue);
  }

  const KernelConfig &c;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  KernelWork work;
};

/// Returns whether the user fixes the schedule wgmma.
bool isFixed(const ConfigRequest &request) {
  KernelConfig config;
  config.schedule = Schedule::MmaSync;
  if (Error failure = config.apply(request.overrides)) {
    consumeError(std::move(failure));
    return false;
  }
  return config.schedule == Schedule::Wgmma;
}

/// Chooses the parameters that fit a tile on `chip`: epilogue, depth, slices.
class Completion {
public:
  Completion(const ScheduleFamily &family, const ConfigRequest &request,
             const ProblemInfo &problem)
      : family(family), request(request), problem(problem) {}

  std::optional<KernelConfig> best;

  void tryTile(const Candidate &candidate, int64_t k) {
    for (auto [clusterM, clusterN] : clusters) {
      KernelConfig c;
      c.schedule = Schedule::Wgmma;
      c.cta = {candidate.m, candidate.n, k};
      c.warps = {4 * candidate.consumers, 1, 1};
      c.swapAB = candidate.swapAB;
      // Split operands are for sums with the precision of f32. Scales are
      // factors of the sums of a stage.
      c.wgmma.promoteSums = problem.splitsOperands() || problem.hasScales();
      c.wgmma.cluster = {clusterM, clusterN, 1};
      orderTiles(c, problem);
      c.instruction = {64, c.getColumnSide(), 16};
      for (int64_t slices : sliceCounts) {
        c.splitK = slices;
        if (slices > 1 &&
            int64_t(divideCeil(problem.getDepth(), k)) < 4 * slices)
          break;
        complete(c);
      }
    }
  }

private:
  /// The deepest ring that fits, TMA stores where they can be, and, where the
  /// epilogue is a good part of the work, its inputs in shared memory too.
  void complete(KernelConfig c) {
    constexpr int64_t shortK = 2048;
    if (problem.stageableInputs > 0 && problem.k <= shortK) {
      KernelConfig staging = c;
      staging.wgmma.stageInputs = true;
      staging.wgmma.epilogueBuffers = 1;
      if (complete(staging, {EpilogueKind::Tma}, /*leastStages=*/3))
        return;
    }
    complete(
        c,
        {problem.hasGroupsOfRows() ? EpilogueKind::Staged : EpilogueKind::Tma,
         EpilogueKind::Direct},
        /*leastStages=*/2);
  }

  /// Returns whether there is such a configuration.
  bool complete(KernelConfig c, ArrayRef<EpilogueKind> epilogues,
                int64_t leastStages) {
    int64_t tiles = countTiles(c, problem) * c.splitK;
    c.persistent =
        problem.hasGroupsOfRows() || tiles > request.chip.speed.numSMs;
    // Over many tiles the CTAs of a cluster wait for each other more than the
    // traffic that they save is worth: 8 % slower at 8192³.
    if (c.persistent && c.getClusterSize() > 1)
      return false;
    for (EpilogueKind epilogue : epilogues)
      for (int64_t stages = 8; stages >= leastStages; --stages) {
        c.epilogue = epilogue;
        c.stages = stages;
        std::optional<KernelConfig> fixed = applyOverrides(c, request, problem);
        if (!fixed)
          continue;
        double time = family.estimateTime(*fixed, request.chip, problem);
        // Ties go to the earlier: the larger tile.
        if (!best || time < bestTime * 0.995) {
          best = fixed;
          bestTime = time;
        }
        return true;
      }
    return false;
  }

  const ScheduleFamily &family;
  const ConfigRequest &request;
  const ProblemInfo &problem;
  double bestTime = 0;
};

} // namespace

/// The grid of a persistent kernel, as Schedules/Wgmma/Plan.cpp computes it.
static double countLaunchedCtas(const KernelConfig &config,
                                const KernelWork &work) {
  if (!config.persistent)
    return work.ctas;
  double places =
      work.processors * double(std::max<int64_t>(1, config.minCtas));
  double clusters = std::max(1.0, std::floor(places / work.clusterSize));
  return std::min(work.ctas, clusters * work.clusterSize);
}

int64_t WgmmaFamily::estimateRegisters(const KernelConfig &config,
                                       const ProblemInfo &problem) const {
  return countThreadRegisters(config, problem);
}

SharedMemoryPlan
WgmmaFamily::planSharedMemory(const KernelConfig &config,
                              const ProblemInfo &problem) const {
  return planWgmmaMemory(config, problem);
}

KernelWork WgmmaFamily::describeWith(const WorkTerms &terms,
                                     const KernelConfig &config,
                                     int64_t residents) const {
  KernelWork work = ScheduleFamily::describeWith(terms, config, residents);
  work.rowMacs = static_cast<double>(config.getRowSide() * config.cta[2]);
  work.columns = static_cast<double>(config.getColumnSide());
  // The instruction reads its operands in shared memory.
  work.fragmentBytes = 0;
  work.isPersistent = config.persistent;
  work.isPingpong = config.wgmma.pingpong;
  work.warpgroups = static_cast<double>(config.getConsumers());
  work.launchedCtas = countLaunchedCtas(config, work);
  work.copiesByTma = config.wgmma.producer == ProducerKind::Tma;
  const WorkTerms::TileTerms &tile = terms.getTile(config.cta);
  auto [clusterM, clusterN, clusterK] = config.wgmma.cluster;
  // Each CTA of a cluster copies a part of what they share. Only boxes with k
  // innermost have rows outside the operand.
  for (auto [operand, tiles, numCtas] :
       {std::tuple(0U, tile.tilesM, clusterN), {1U, tile.tilesN, clusterM}})
    if (work.copiesByTma && terms.tilesAlongK[operand]) {
      double rows = tile.outsideRows[operand] / static_cast<double>(numCtas);
      work.outsideRows += rows;
      if (tiles == 1 && numCtas == 1)
        work.leastOutsideRows += rows;
    }
  // 64 rows of 32 bytes at 128 bytes a clock take 16 clocks; a product with 32
  // columns does, too.
  constexpr double columnsOfRows = 32;
  if (!terms.mapsOperands)
    work.leastColumns = columnsOfRows;
  // TMA stores on its own.
  if (work.storePath != StorePath::Tma)
    work.storeGroups = static_cast<double>(config.getSharers());
  return work;
}

double WgmmaFamily::estimateTime(const KernelConfig &config,
                                 const ChipInfo &chip,
                                 const ProblemInfo &problem) const {
  KernelWork work = describeWork(config, chip, problem);
  return Estimate(config, chip, problem, work).getNanoseconds() / 1000;
}

std::optional<KernelConfig>
WgmmaFamily::proposeDefault(const ConfigRequest &request,
                            const ProblemInfo &problem) const {
  if (!request.chip.features.wgmma ||
      !problem.findInstruction(InstructionKind::Wgmma))
    return std::nullopt;
  std::optional<unsigned> narrow = problem.getConvertedOperand();
  constexpr int64_t mostGroupedRows = 64;
  // Parts have room for one depth only.
  int64_t depth = problem.splitsOperands() ? 512 / problem.getMultipliedBits() *
                                                 getNumProducts(problem.typeA)
                                           : 1024 / problem.getMultipliedBits();
  int64_t deepest = 0; // The deepest stage of a converted operand.
  if (narrow) {
    ScalarType type = *narrow ? problem.typeB : problem.typeA;
    depth *= getPackedElements(type);
    deepest = 8 * getRegisterDepth(type);
  }
  // ptxas has too few registers for four groups in a stage of large tiles.
  constexpr int64_t mostGroups = 2;
  int64_t mostDepth =
      problem.hasGroupScales() ? mostGroups * problem.groups.depth : 2 * depth;
  // A converted operand takes the rows. Where the other has few, a tile of the
  // search is not the fastest, and mma_sync may be. It has no groups of rows
  // and no last group of scales with fewer elements, and some chips execute it
  // by other instructions.
  const MatrixInstruction *ofWarps =
      problem.findInstruction(InstructionKind::MmaSync);
  bool hasWarps =
      ofWarps && !isEmulated(*ofWarps, request.chip) && hasWholeGroups(problem);
  if (narrow && !problem.isGrouped &&
      (*narrow ? problem.m : problem.n) <= kMostFewColumns) {
    std::optional<KernelConfig> config = proposeForFewColumns(
        request, problem, std::min({2 * depth, mostDepth, deepest}));
    if (config || (hasWarps && !isFixed(request)))
      return config;
  }
  Completion completion(*this, request, problem);
  // A function of B's elements only is computed in registers if B has the rows.
  bool mapsB = problem.transforms(1) && !problem.transforms(0);
  for (Candidate candidate : candidates) {
    if (narrow ? candidate.swapAB != (*narrow == 1)
               : mapsB && !candidate.swapAB) {
      std::swap(candidate.m, candidate.n);
      candidate.swapAB = !candidate.swapAB;
    }
    // A tile has rows of one group only.
    if (problem.hasGroupsOfRows() && candidate.m > mostGroupedRows)
      continue;
    for (int64_t k = std::min(depth, mostDepth);
         k <= std::min(2 * depth, mostDepth); k *= 2)
      completion.tryTile(candidate, k);
  }
  return completion.best;
}

std::vector<KernelConfig>
WgmmaFamily::listTiles(const ChipInfo &chip, const ProblemInfo &problem) const {
  if (!chip.features.wgmma || !takesElements(problem))
    return {};
  return listWgmmaTiles(*this, chip, problem);
}

void WgmmaFamily::visitTile(const KernelConfig &tile, const ChipInfo &chip,
                            const ProblemInfo &problem,
                            CandidateVisitor visit) const {
  visitWgmmaTile(*this, tile, chip, problem, visit);
}

/// Copies that run far ahead of the products take memory's time from the stores
/// of D, which then hold the CTA. On an H200, 2048 x 2048 x 128 in 512 batches
/// took 1,444 us with a ring of three or four stages and 1,586 us with six; on
/// an H100, 2,197 us with three and 2,550 us with four to six.
int64_t WgmmaFamily::getUsefulStages(const KernelConfig &config,
                                     const ChipInfo &chip,
                                     const ProblemInfo &problem) const {
  constexpr double storedPerRead = 4, timesL2 = 4;
  constexpr int64_t least = 3;
  if (!config.persistent)
    return config.stages;
  auto real = [](int64_t value) { return static_cast<double>(value); };
  double outputs = real(problem.batch) * real(problem.m) * real(problem.n) *
                   real(problem.epilogueBytes);
  double inputs = real(problem.batch) * real(problem.k) *
                  (real(problem.m) * real(problem.getBitsA()) +
                   real(problem.n) * real(problem.getBitsB())) /
                  8;
  if (outputs < storedPerRead * inputs ||
      outputs < timesL2 * chip.speed.l2MiB * 1048576)
    return config.stages;
  int64_t ofTile = divideCeil(problem.getDepth(), config.cta[2]);
  return std::min(config.stages, std::max(least, ofTile + 1));
}

/// As in the shipped spaces, a kernel is persistent where it has more tiles
/// than the chip has places, and has clusters if these have no CTAs beyond the
/// problem.
KernelConfig WgmmaFamily::adapt(KernelConfig config, bool isSplit,
                                const ChipInfo &chip,
                                const ProblemInfo &problem) const {
  int64_t m = divideCeil(problem.m, config.cta[0]);
  int64_t n = divideCeil(problem.n, config.cta[1]);
  int64_t tiles = multiplyCounts({countTiles(config, problem), config.splitK});
  config.persistent = problem.hasGroupsOfRows() || tiles > chip.speed.numSMs;
  config.wgmma.pingpong &= config.persistent && !problem.variesDepth();
  orderTiles(config, problem);
  if (config.persistent)
    config.wgmma.cluster[2] = 1;
  if (isSplit || m % config.wgmma.cluster[0] != 0 ||
      n % config.wgmma.cluster[1] != 0)
    config.wgmma.cluster = {1, 1, 1};
  config.stages = getUsefulStages(config, chip, problem);
  config.wgmma.promoteSums |= problem.hasScales();
  return config;
}

ArrayRef<std::array<int64_t, 3>> WgmmaFamily::getClusters() const {
  static constexpr std::array<int64_t, 3> clusters[] = {
      {2, 1, 1}, {1, 2, 1}, {4, 1, 1}, {1, 4, 1}, {2, 2, 1}, {2, 4, 1},
      {4, 2, 1}, {8, 1, 1}, {1, 8, 1}, {1, 1, 2}, {1, 1, 4}, {1, 1, 8},
      {2, 1, 2}, {1, 2, 2}, {4, 1, 2}, {1, 4, 2}};
  return clusters;
}

bool WgmmaFamily::hasRoomForEpilogue(const KernelConfig &config, bool readsMore,
                                     bool computesMore) const {
  constexpr int64_t mostAccumulators = 128;
  int64_t rows = config.getRowSide() / config.getSharers();
  return !(readsMore || (computesMore && config.wgmma.pingpong)) ||
         rows * config.getColumnSide() <= 128 * mostAccumulators;
}

} // namespace tcgemm
