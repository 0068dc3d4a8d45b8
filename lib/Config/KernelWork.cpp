//===- KernelWork.cpp - The work of a kernel ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/KernelWork.h"
#include "Common/Counts.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/WorkTerms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

using namespace llvm;

namespace tcgemm {
namespace {

/// Sizes and counts are computed with as real numbers.
double real(int64_t value) { return static_cast<double>(value); }

int64_t countTiles(int64_t size, int64_t tile) {
  return tile == 1 ? size : size / tile + (size % tile != 0);
}

/// Bytes from and to memory: each input once if all of them fit the L2 cache,
/// else what the CTAs of a round read together, round by round. The slices of k
/// that follow each other as CTAs read parts of the same rows and columns.
double getDramBytes(const KernelConfig &config, const WorkTerms &terms,
                    const KernelWork &work) {
  double inputs = terms.inputBytes;
  if (inputs > terms.halfL2) {
    double slots = work.residents * work.processors;
    double inner = real(countInnerSlices(config));
    double outer = real(config.wgmma.cluster[2] * config.splitK) / inner;
    const WorkTerms::TileTerms &tile = terms.getTile(config.cta);
    double tilesM = real(tile.tilesM), tilesN = real(tile.tilesN);
    bool alongM = config.raster == RasterOrder::AlongM;
    double along = std::min(real(config.rasterGroup), alongM ? tilesM : tilesN);
    double tiles = std::ceil(std::min(slots, work.ctas) / inner);
    double across = std::ceil(tiles / along);
    double bandM = std::min(alongM ? along : across, tilesM);
    double bandN = std::min(alongM ? across : along, tilesN);
    double rowBytes = real(terms.bitsA * config.cta[0]) / 8 * bandM;
    double columnBytes = real(terms.bitsB * config.cta[1]) / 8 * bandN;
    double round = real(terms.storedDepth) / outer * (rowBytes + columnBytes);
    inputs = std::max(inputs, work.ctas / slots * round);
  }
  return inputs + work.outputBytes;
}

/// Bytes of operands whose pitch TMA and copies of 16 bytes cannot take: they
/// are read and written once more.
double getPackBytes(int64_t storedDepth, const ProblemInfo &problem) {
  if (problem.splitsOperands()) {
    double results = real(storedDepth * problem.getBitsA() / 8);
    double sources = real(problem.k * getByteSize(ScalarType::F32));
    return real(problem.batch) * real(problem.m + problem.n) *
           (sources + results);
  }
  double bytes = 0;
  for (auto [isKContiguous, rows, bits] :
       {std::tuple(problem.aKContiguous, problem.m, problem.getBitsA()),
        std::tuple(problem.bKContiguous, problem.n, problem.getBitsB())}) {
    int64_t pitch = isKContiguous ? problem.getDepth() : rows;
    if (pitch * bits % 128 != 0)
      bytes += real(bits / 4) * real(problem.batch) * real(rows) *
               real(problem.getDepth());
  }
  return bytes;
}

/// Lines of the L2 cache, on average, that 128 bytes lie in which begin at some
/// multiple of `step` bytes: mostly two, if that is no multiple of a line.
double getLinesPerPiece(int64_t step) {
  constexpr int64_t line = 128;
  return 2 - real(std::gcd(step, line)) / real(line);
}

/// The same for pieces of an operand's rows.
double getLinesPerPiece(bool isKContiguous, int64_t rows, int64_t k,
                        int64_t bits) {
  // Packed operands have rows of a multiple of 16 bytes.
  return getLinesPerPiece(countTiles(isKContiguous ? k : rows, 128 / bits) *
                          16);
}

/// The bytes of one stage of one CTA.
void describeStage(const KernelConfig &config, const WorkTerms &terms,
                   KernelWork &work) {
  auto [m, n, multiplied] = config.cta;
  const WorkTerms::TileTerms &tile = terms.getTile(config.cta);
  int64_t k = tile.storedDepth;
  double bytesA = real(terms.bitsA) / 8, bytesB = real(terms.bitsB) / 8;
  auto [clusterM, clusterN, clusterK] = config.wgmma.cluster;
  work.stageBytes = (bytesA * real(m) + bytesB * real(n)) * real(k);
  double l2BytesA = real(k) * bytesA * real(m) / real(clusterN) * terms.linesA;
  double l2BytesB = real(k) * bytesB * real(n) / real(clusterM) * terms.linesB;
  work.l2Bytes = l2BytesA + l2BytesB;
  // CTAs that follow each other along m have B's tile in common.
  bool isAlongM =
      config.raster == RasterOrder::AlongM ? tile.tilesM > 1 : tile.tilesN <= 1;
  if (config.getClusterSize() == 1 && tile.tilesM * tile.tilesN > 1)
    work.neighbourBytes = isAlongM ? l2BytesB : l2BytesA;
  work.outsidePart = tile.outsidePart;
}

/// The rows of D in a tile begin at multiples of some number of bytes. On
/// average their first and last pieces lack as much as they begin between.
double getPartialBytes(const KernelConfig &config, const WorkTerms &terms) {
  constexpr int64_t piece = 256;
  if (terms.outputBytes <= terms.halfL2)
    return 0;
  const ProblemInfo &problem = terms.problem;
  int64_t bytes = terms.outputElementBytes;
  int64_t row = std::min(config.cta[1], problem.n) * bytes;
  int64_t step = std::gcd(std::gcd(row, problem.n * bytes), piece);
  return terms.outputBytes * std::min(1.0, real(piece - step) / real(row));
}

/// Threads store what TMA cannot: rows that are no multiple of its pieces.
StorePath getStorePath(const KernelConfig &config, bool isWhole) {
  StorePath direct = config.swapAB ? StorePath::Columns : StorePath::Rows;
  if (config.splitK > 1 || config.epilogue == EpilogueKind::Direct)
    return direct;
  if (config.epilogue == EpilogueKind::Tma && isWhole)
    return StorePath::Tma;
  if (config.epilogue == EpilogueKind::Tma && config.swapAB)
    return direct;
  return isWhole ? StorePath::Staged : StorePath::Elements;
}

} // namespace

WorkTerms::WorkTerms(const ScheduleFamily &family, const ChipInfo &chip,
                     const ProblemInfo &problem)
    : chip(chip), problem(problem), bitsA(problem.getBitsA()),
      bitsB(problem.getBitsB()), sumBytes(problem.getSumBytes()),
      outputElementBytes(getByteSize(problem.output)),
      depth(problem.getDepth()), usesTensorCores(family.usesTensorCores()),
      tilesAlongK{problem.hasTileAlongK(0), problem.hasTileAlongK(1)},
      mapsOperands(problem.convertsOperands() || problem.transforms(0) ||
                   problem.transforms(1)),
      halfL2(chip.speed.l2MiB * 1048576 / 2), processors(chip.speed.numSMs) {
  if (family.sharesParts()) {
    numProducts = getNumProducts(problem.typeA);
    numParts = getNumParts(problem.typeA);
  }
  storedDepth = countStored(depth);
  constexpr int64_t piece = 16;
  hasWholeRows = problem.n * outputElementBytes % piece == 0;
  linesA =
      getLinesPerPiece(problem.aKContiguous, problem.m, storedDepth, bitsA);
  linesB =
      getLinesPerPiece(problem.bKContiguous, problem.n, storedDepth, bitsB);
  results = real(problem.batch) * real(problem.m) * real(problem.n);
  inputBytes =
      real(problem.batch) * real(storedDepth) *
      (real(bitsA) / 8 * real(problem.m) + real(bitsB) / 8 * real(problem.n));
  outputBytes = real(problem.epilogueBytes) * results;
  packBytes = getPackBytes(storedDepth, problem);
}

/// The tiles along k, of which each value of a summed dimension has its own.
static int64_t countDepthTiles(const ProblemInfo &problem, int64_t tile) {
  int64_t depth = problem.getTiledDepth();
  return depth > 0 && problem.hasSummedDim()
             ? problem.summedValues * countTiles(depth, tile)
             : countTiles(problem.getDepth(), tile);
}

/// The rows of 128 bytes of an operand's tiles that lie outside it, a tile.
static double countOutsideRows(int64_t rows, int64_t tile, int64_t tiles,
                               int64_t rowBytes) {
  constexpr double lineBytes = 128;
  double outside = real(tiles) * real(tile) - real(rows);
  return outside / real(tiles) * (real(rowBytes) / lineBytes);
}

void WorkTerms::setTile(const std::array<int64_t, 3> &cta) const {
  auto [m, n, k] = cta;
  tile.cta = cta;
  tile.tilesM = countTiles(problem.m, m);
  tile.tilesN = countTiles(problem.n, n);
  tile.depthTiles = countDepthTiles(problem, k);
  tile.storedDepth = countStored(k);
  double outside = real(tile.tilesM) * real(m) - real(problem.m);
  tile.outsidePart = outside / (real(m) * std::sqrt(real(tile.tilesM)));
  tile.lines = getLinesPerPiece(2 * std::gcd(n, problem.n));
  tile.outsideRows = {
      countOutsideRows(problem.m, m, tile.tilesM, tile.storedDepth * bitsA / 8),
      countOutsideRows(problem.n, n, tile.tilesN,
                       tile.storedDepth * bitsB / 8)};
}

KernelWork ScheduleFamily::describeWith(const WorkTerms &terms,
                                        const KernelConfig &config,
                                        int64_t residents) const {
  KernelWork work;
  const ProblemInfo &problem = terms.problem;
  auto [m, n, k] = config.cta;
  auto [clusterM, clusterN, clusterK] = config.wgmma.cluster;
  bool isSplit = config.splitK > 1;
  work.rowMacs = real(m * k);
  work.columns = real(n);
  describeStage(config, terms, work);
  // Each warp reads its rows of A's tile and its columns of B's.
  if (terms.usesTensorCores)
    work.fragmentBytes = real(k * config.warps[0] * config.warps[1] *
                              (terms.bitsA * config.getWarpM() +
                               terms.bitsB * config.getWarpN())) /
                         8;
  work.stages = real(config.stages);
  const WorkTerms::TileTerms &tile = terms.getTile(config.cta);
  int64_t slices = config.splitK * clusterK;
  work.iterations = real(countTiles(tile.depthTiles, slices));
  work.leastIterations = real(tile.depthTiles / slices);
  work.meanIterations = real(tile.depthTiles) / real(slices);
  // A cluster's CTAs all run, if some of them beyond the problem.
  int64_t tilesM = countTiles(tile.tilesM, clusterM);
  int64_t tilesN = countTiles(tile.tilesN, clusterN);
  work.ctas = real(problem.batch) * real(tilesM) * real(tilesN) *
              real(config.getClusterSize() * config.splitK);
  work.launchedCtas = work.ctas;
  work.residents = real(residents);
  work.processors = terms.processors;
  int64_t stored = m * n,
          storedBytes = isSplit ? terms.sumBytes : problem.epilogueBytes;
  if (clusterK > 1) {
    // A CTA receives the others' sums of the part of the tile that it stores.
    stored /= config.getSumParts();
    storedBytes = problem.epilogueBytes;
    work.exchangeBytes = real((clusterK - 1) * stored * 4);
  }
  work.tileBytes = real(stored * storedBytes) * tile.lines;
  work.storePath = getStorePath(config, terms.hasWholeRows);
  work.clusterSize = real(config.getClusterSize());
  work.inputBytes = terms.inputBytes;
  work.outputBytes = terms.outputBytes;
  work.dramBytes = getDramBytes(config, terms, work);
  work.partialBytes = getPartialBytes(config, terms);
  if (isSplit)
    work.reduceBytes = 2 * real(terms.sumBytes * config.splitK) * terms.results;
  if (config.unaligned == UnalignedPath::Pack)
    work.packBytes = terms.packBytes;
  return work;
}

KernelWork ScheduleFamily::describeWork(const KernelConfig &config,
                                        const ChipInfo &chip,
                                        const ProblemInfo &problem) const {
  return describeWith(
      WorkTerms(*this, chip, problem), config,
      estimateResidents(config, chip, problem,
                        planSharedMemory(config, problem).getTotal()));
}

KernelWork describeWork(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem) {
  const ScheduleFamily &family = getFamily(config.schedule);
  return problem.isGrouped
             ? family.describeWork(config, chip, takeGroup(problem))
             : family.describeWork(config, chip, problem);
}

double countStageMacs(const KernelWork &work, const ProblemInfo &problem) {
  return work.rowMacs * std::max(work.columns, work.leastColumns) *
         problem.getRelativeWidth();
}

int64_t countInnerSlices(const KernelConfig &config) {
  return config.wgmma.cluster[2] *
         (config.sliceOrder == SliceOrder::Inner ? config.splitK : 1);
}

double addWaves(double start, const KernelWork &work, double slots,
                function_ref<double(double count, double active)> wave) {
  double full = std::floor(work.ctas / slots);
  double rest = work.ctas - full * slots;
  double time = start;
  if (full > 0)
    time += full * wave(work.residents, work.processors);
  if (rest > 0)
    time += wave(std::ceil(rest / work.processors),
                 std::min(rest, work.processors));
  return time;
}

} // namespace tcgemm
