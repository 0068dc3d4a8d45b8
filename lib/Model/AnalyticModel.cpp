//===- AnalyticModel.cpp - A kernel's time from a few constants -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Config/ScheduleFamily.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

using namespace llvm;

namespace tcgemm {
namespace {

/// Converts sizes and counts, with which the model computes as real numbers.
double real(int64_t value) { return static_cast<double>(value); }

int64_t countTiles(int64_t size, int64_t tile) {
  return size / tile + (size % tile != 0);
}

/// Number of CTAs that can be resident on one multiprocessor.
int64_t getResidents(const KernelConfig &config, const ChipInfo &chip,
                     const ProblemInfo &problem) {
  SharedMemoryPlan plan = planSharedMemory(config, problem);
  return estimateResidents(config, chip, plan.getTotal());
}

/// Bytes from and to memory: each input once if all of them fit into the L2
/// cache, or else the bytes that the CTAs of each wave read.
double getDramBytes(const KernelConfig &config, const ChipInfo &chip,
                    const ProblemInfo &problem, double slots, double ctas) {
  double b = real(problem.batch), m = real(problem.m), n = real(problem.n),
         k = real(problem.k);
  double inputs = 2 * b * (m + n) * k;
  if (inputs > chip.speed.l2MiB * 1048576 / 2) {
    double tilesM = real(countTiles(problem.m, config.cta[0]));
    double tilesN = real(countTiles(problem.n, config.cta[1]));
    bool alongM = config.raster == RasterOrder::AlongM;
    double along = std::min(real(config.rasterGroup), alongM ? tilesM : tilesN);
    double across = std::ceil(std::min(slots, ctas) / along);
    double bandM = std::min(alongM ? along : across, tilesM);
    double bandN = std::min(alongM ? across : along, tilesN);
    double round = 2 * k / real(config.splitK) *
                   (bandM * real(config.cta[0]) + bandN * real(config.cta[1]));
    inputs = std::max(inputs, ctas / slots * round);
  }
  return inputs + real(problem.epilogueBytes) * b * m * n;
}

/// Bytes of packing: operands whose pitch TMA and copies of 16 bytes do not
/// support are read and written once more.
double getPackBytes(const ProblemInfo &problem) {
  double bytes = 0;
  for (auto [isKContiguous, rows] :
       {std::pair(problem.aKContiguous, problem.m),
        std::pair(problem.bKContiguous, problem.n)}) {
    int64_t pitch = isKContiguous ? problem.k : rows;
    if (pitch % 8 != 0)
      bytes += 4 * real(problem.batch) * real(rows) * real(problem.k);
  }
  return bytes;
}

/// The average number of L2 cache lines that contain 128 bytes starting at a
/// multiple of `step` bytes: usually two if `step` is not a multiple of a line.
double getLinesPerPiece(int64_t step) {
  constexpr int64_t line = 128;
  return 2 - real(std::gcd(step, line)) / real(line);
}

/// The same for pieces of an operand's rows.
double getLinesPerPiece(bool isKContiguous, int64_t rows, int64_t k) {
  // Rows of packed operands are multiples of 16 bytes.
  return getLinesPerPiece(countTiles(isKContiguous ? k : rows, 8) * 16);
}

} // namespace

ModelFeatures getModelFeatures(const KernelConfig &config, const ChipInfo &chip,
                               const ProblemInfo &problem) {
  ModelFeatures f;
  auto [m, n, k] = config.cta;
  bool isWgmma = config.schedule == Schedule::Wgmma;
  bool isSplit = config.splitK > 1;
  f.schedule = config.schedule;
  f.rowMacs = real((isWgmma ? config.getRowSide() : m) * k);
  f.columns = real(isWgmma ? config.getColumnSide() : n);
  f.stageBytes = 2 * real((m + n) * k);
  f.l2Bytes =
      2 * real(k) *
      (real(m) / real(config.wgmma.cluster[1]) *
           getLinesPerPiece(problem.aKContiguous, problem.m, problem.k) +
       real(n) / real(config.wgmma.cluster[0]) *
           getLinesPerPiece(problem.bKContiguous, problem.n, problem.k));
  if (!isWgmma)
    f.fragmentBytes = 2 * real(k * config.warps[0] * config.warps[1] *
                               (config.getWarpM() + config.getWarpN()));
  f.stages = real(config.stages);
  f.iterations = real(countTiles(countTiles(problem.k, k),
                                 config.splitK * config.wgmma.cluster[2]));
  // All CTAs of a cluster are executed, even those beyond the problem.
  int64_t tilesM = countTiles(problem.m, m * config.wgmma.cluster[0]);
  int64_t tilesN = countTiles(problem.n, n * config.wgmma.cluster[1]);
  f.ctas = real(problem.batch) * real(tilesM) * real(tilesN) *
           real(config.getClusterSize() * config.splitK);
  f.residents = real(getResidents(config, chip, problem));
  f.processors = real(chip.speed.numSMs);
  double lines = getLinesPerPiece(2 * std::gcd(n, problem.n));
  f.tileBytes = real(m * n * (isSplit ? 4 : problem.epilogueBytes)) * lines;
  if (config.wgmma.cluster[2] > 1) {
    // The bytes of the others' sums that a CTA receives; it stores a part of
    // the tile.
    double part = real(m * n / config.getSumParts());
    f.tileBytes = part * problem.epilogueBytes * lines;
    f.exchangeBytes = real(config.wgmma.cluster[2] - 1) * part * 4;
  }
  f.isPersistent = config.wgmma.persistent;
  f.isPingpong = config.wgmma.pingpong;
  f.isStaged = !isSplit && config.epilogue != EpilogueKind::Direct;
  f.clusterSize = real(config.getClusterSize());
  f.dramBytes =
      getDramBytes(config, chip, problem, f.residents * f.processors, f.ctas);
  if (isSplit)
    f.reduceBytes = 8 * real(config.splitK * problem.batch) * real(problem.m) *
                    real(problem.n);
  if (config.unaligned == UnalignedPath::Pack)
    f.packBytes = getPackBytes(problem);
  return f;
}

namespace {

class Estimate {
public:
  Estimate(const ModelFeatures &f, const ScheduleConstants &c) : f(f), c(c) {}

  double getNanoseconds() const {
    double main = combine({getRounds(), f.dramBytes / c.dramRate});
    double time = c.launch + main;
    if (f.reduceBytes > 0)
      time += c.reduceLaunch + f.reduceBytes / c.reduceRate;
    if (f.packBytes > 0)
      time += c.packLaunch + f.packBytes / c.packRate;
    return time;
  }

private:
  /// A value near the largest of `parts`, larger if others are close to it.
  double combine(std::initializer_list<double> parts) const {
    double most = std::max(parts), sum = 0;
    for (double part : parts)
      sum += std::pow(part / most, c.sharpness);
    return most * std::pow(sum, 1 / c.sharpness);
  }

  /// The time of a stage of each of `count` CTAs on one of `active` processors.
  double getStageTime(double count, double active) const {
    double tensor =
        count * f.rowMacs * std::max(f.columns, c.leastColumns) / c.tensorRate;
    double shared = count * f.stageBytes / c.sharedRate;
    if (f.fragmentBytes > 0)
      shared += count * f.fragmentBytes / c.fragmentRate;
    double l2 = count * active * f.l2Bytes / c.l2Rate;
    double latency = c.latency / std::max(1.0, f.stages - 1);
    double time = combine({tensor, shared, l2, latency}) + c.perStage;
    return f.clusterSize > 1 ? time + c.perCluster : time;
  }

  /// The time of one tile of each of `count` CTAs on a processor.
  double getTileTime(double count, double active) const {
    double exposed = f.isPingpong     ? c.exposedPingpong
                     : f.isPersistent ? c.exposedPersistent
                                      : 1;
    double rate = f.isStaged ? c.stagedRate : c.directRate;
    double epilogue = c.perTile + count * f.tileBytes / rate;
    if (f.exchangeBytes > 0)
      epilogue += c.exchange + count * f.exchangeBytes / c.exchangeRate;
    double loop = f.iterations * getStageTime(count, active);
    return loop + exposed * epilogue + (f.isPersistent ? 0 : c.prologue);
  }

  /// The time of all full waves and of the last, partial one.
  double getRounds() const {
    // The CTAs of a cluster run in one group of SMs, whose number is rarely a
    // multiple of four.
    double part = f.clusterSize > 2 ? std::min(1.0, c.quadPart) : 1;
    double slots = f.residents * std::floor(f.processors * part);
    double full = std::floor(f.ctas / slots), rest = f.ctas - full * slots;
    double time = f.isPersistent ? c.prologue : 0;
    if (full > 0)
      time += full * getTileTime(f.residents, f.processors);
    if (rest > 0)
      time += getTileTime(std::ceil(rest / f.processors),
                          std::min(rest, f.processors));
    return time;
  }

  const ModelFeatures &f;
  const ScheduleConstants &c;
};

} // namespace

double estimateTime(const ModelFeatures &features,
                    const ScheduleConstants &constants) {
  return Estimate(features, constants).getNanoseconds();
}

} // namespace tcgemm
