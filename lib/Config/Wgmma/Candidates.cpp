//===- Candidates.cpp - Configurations for a model to rank ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of any multiple of 8 columns, with either operand in the instruction's
// rows, are combined with clusters, slices of k and ping-pong. Tiles that leave
// much of the chip without work are left out before that.
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Candidates.h"
#include "Common/Counts.h"
#include "Wgmma/Registers.h"
#include "Wgmma/SharedMemory.h"
#include "Wgmma/Structure.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr int64_t kMostColumns = 256, kMostArea = 45056;

class TileLister {
public:
  TileLister(const WgmmaFamily &family, const ChipInfo &chip,
             const ProblemInfo &problem)
      : family(family), problem(problem), processors(chip.speed.numSMs),
        depth(1024 / problem.getMultipliedBits()),
        instruction(problem.findInstruction(InstructionKind::Wgmma)) {}

  std::vector<KernelConfig> list() {
    for (bool swapAB : {false, true}) {
      SmallVector<int64_t> widths = listColumns(swapAB ? problem.m : problem.n);
      for (int64_t rows : {64, 128, 192, 256})
        for (int64_t columns : widths)
          addTile(rows, columns, swapAB);
    }
    return std::move(tiles);
  }

private:
  static SmallVector<int64_t> listColumns(int64_t extent);
  void addTile(int64_t rows, int64_t columns, bool swapAB);
  bool fillsChip(const KernelConfig &config) const;

  const WgmmaFamily &family;
  const ProblemInfo &problem;
  const int64_t processors;
  const int64_t depth; ///< Elements of a row of 128 bytes.
  const MatrixInstruction *const instruction;
  std::vector<KernelConfig> tiles;
};

/// The configurations of one tile.
class TileWalk {
public:
  TileWalk(const WgmmaFamily &family, const ChipInfo &chip,
           const ProblemInfo &problem, const KernelConfig &tile,
           CandidateVisitor visit)
      : family(family), chip(chip), problem(problem), tile(tile), show(visit),
        processors(chip.speed.numSMs), depth(problem.getDepth()),
        tiles(countTiles(tile, problem)),
        depthTiles(divideCeil(depth, tile.cta[2])) {}

  void walk() {
    addClusters();
    addSlices();
  }

private:
  /// The resources of a multiprocessor that a configuration needs: the bytes of
  /// a stage and those beside the ring, and registers.
  struct Needs {
    int64_t stageBytes, otherBytes, registers;
    bool haveRegisters; ///< Threads may have as many.
  };

  void addClusters();
  void addSlices();
  void addPingpong(KernelConfig config);
  void addStages(KernelConfig &config);
  const Needs &getNeeds(const KernelConfig &config);
  int64_t getSharedBytes(const KernelConfig &config, const Needs &needs) const {
    return config.stages * needs.stageBytes + needs.otherBytes;
  }
  void visit(const KernelConfig &config, const Needs &needs);

  const WgmmaFamily &family;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  const KernelConfig &tile;
  CandidateVisitor show;
  const int64_t processors, depth, tiles, depthTiles;
  /// By the parameters that the needs depend on: ping-pong, whether there are
  /// slices of k, and the size of a cluster along k.
  std::optional<Needs> needsOfTile[2][2][3];
};

} // namespace

/// The widths that cut `extent` evenly into as many tiles as they need, if it
/// is so small that the last tile matters; otherwise all.
SmallVector<int64_t> TileLister::listColumns(int64_t extent) {
  constexpr int64_t mostEvenTiles = 6, step = 8;
  SmallVector<int64_t> widths;
  for (int64_t width = step; width <= kMostColumns; width += step) {
    int64_t tiles = divideCeil(extent, width);
    int64_t even = alignTo(divideCeil(extent, tiles), step);
    if (tiles > mostEvenTiles ? width >= 64 || width % 16 == 0 : width == even)
      widths.push_back(width);
  }
  return widths;
}

/// Returns whether the tiles, with slices of k where they are few, take no more
/// than about twice the waves that the work needs.
bool TileLister::fillsChip(const KernelConfig &config) const {
  constexpr double leastFilled = 0.5;
  constexpr int64_t mostSmallWaves = 12, largeTile = 16384;
  auto tiles = static_cast<double>(countTiles(config, problem));
  auto processors = static_cast<double>(this->processors);
  double area = static_cast<double>(config.cta[0] * config.cta[1]);
  if (tiles <= processors)
    return true;
  if (tiles > mostSmallWaves * processors && area < largeTile)
    return false;
  double work = static_cast<double>(problem.batch) *
                static_cast<double>(problem.m) * static_cast<double>(problem.n);
  double waves = std::ceil(tiles / processors);
  return work >= leastFilled * waves * processors * area;
}

void TileLister::addTile(int64_t rows, int64_t columns, bool swapAB) {
  constexpr int64_t instructionRows = 64, smallTile = 10240;
  int64_t extent = swapAB ? problem.n : problem.m;
  if (columns % getColumnStep(*instruction, problem, swapAB, columns) != 0 ||
      rows * columns > kMostArea ||
      (rows > instructionRows && rows >= extent + instructionRows))
    return;
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  config.swapAB = swapAB;
  // Two warpgroups share 256 rows.
  config.warps = {rows == 256 ? 8 : rows / 16, 1, 1};
  for (int64_t k : {depth, 2 * depth}) {
    if (k > depth && rows * columns > smallTile)
      break;
    config.cta = swapAB ? std::array<int64_t, 3>{columns, rows, k}
                        : std::array<int64_t, 3>{rows, columns, k};
    bool canStore = problem.tmaOutputs && storesWholeChunks(config, problem) &&
                    (!swapAB || problem.hasNarrowOutputs());
    config.epilogue = canStore ? EpilogueKind::Tma : EpilogueKind::Direct;
    family.completeInstruction(config);
    if (!fillsChip(config))
      return;
    orderTiles(config, problem);
    tiles.push_back(config);
  }
}

void TileWalk::addClusters() {
  static constexpr std::array<int64_t, 3> clusters[] = {
      {1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 1, 4}};
  int64_t tilesM = divideCeil(problem.m, tile.cta[0]),
          tilesN = divideCeil(problem.n, tile.cta[1]);
  for (auto [m, n, k] : clusters) {
    if (tilesM % m != 0 || tilesN % n != 0 ||
        (k > 1 && (tiles * k > processors || depth < 4 * k * tile.cta[2])))
      continue;
    KernelConfig config = tile;
    config.wgmma.cluster = {m, n, k};
    config.persistent = tiles > processors;
    addStages(config);
    addPingpong(config);
  }
}

/// Slices of k that a second kernel sums.
void TileWalk::addSlices() {
  for (int64_t slices : {2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    if (tiles * slices > 2 * processors || depth < 4 * slices * tile.cta[2])
      break;
    KernelConfig config = tile;
    config.splitK = slices;
    config.persistent = tiles * slices > processors;
    addStages(config);
  }
}

void TileWalk::addPingpong(KernelConfig config) {
  constexpr int64_t mostRows = 128, leastColumns = 64;
  if (!config.persistent || config.getRowSide() > mostRows ||
      config.getColumnSide() < leastColumns)
    return;
  config.wgmma.pingpong = true;
  config.warps = {8, 1, 1};
  addStages(config);
}

const TileWalk::Needs &TileWalk::getNeeds(const KernelConfig &config) {
  int64_t clusterK = config.wgmma.cluster[2];
  std::optional<Needs> &needs =
      needsOfTile[config.wgmma.pingpong][config.splitK > 1][clusterK / 2];
  if (!needs) {
    KernelConfig ofOne = config;
    ofOne.stages = 1;
    SharedMemoryPlan plan = family.planSharedMemory(ofOne, problem);
    int64_t registers = family.estimateRegisters(config, problem);
    needs = {plan.ring, plan.getTotal() - plan.ring, registers,
             registers <= getRegisterLimit(config, chip, problem) &&
                 countInstructionRegisters(config) <=
                     getLaunchRegisters(config)};
  }
  return *needs;
}

void TileWalk::visit(const KernelConfig &config, const Needs &needs) {
  show(config, countResidents(config, chip, needs.registers,
                              getSharedBytes(config, needs)));
}

/// The deepest ring that fits and that the CTA's tiles fill: a persistent CTA
/// copies ahead for its next tile. Products of little depth also have shallow
/// rings, with which several CTAs share a processor.
void TileWalk::addStages(KernelConfig &config) {
  constexpr int64_t most = 8, least = 2, littleDepth = 8;
  int64_t slices = config.splitK * config.wgmma.cluster[2];
  int64_t needed = divideCeil(uint64_t(depthTiles), uint64_t(slices));
  config.stages = config.persistent ? most : std::clamp(needed, least, most);
  const Needs &needs = getNeeds(config);
  if (!needs.haveRegisters)
    return;
  while (getSharedBytes(config, needs) > chip.sharedPerBlock)
    if (--config.stages < least)
      return;
  config.stages = family.getUsefulStages(config, chip, problem);
  visit(config, needs);
  for (int64_t shallow : {4, 3, 2})
    if (needed <= littleDepth && shallow < config.stages) {
      config.stages = shallow;
      visit(config, needs);
    }
}

std::vector<KernelConfig> listWgmmaTiles(const WgmmaFamily &family,
                                         const ChipInfo &chip,
                                         const ProblemInfo &problem) {
  return TileLister(family, chip, problem).list();
}

void visitWgmmaTile(const WgmmaFamily &family, const KernelConfig &tile,
                    const ChipInfo &chip, const ProblemInfo &problem,
                    CandidateVisitor visit) {
  TileWalk(family, chip, problem, tile, visit).walk();
}

} // namespace tcgemm
