//===- Multistage.cpp - Kernels with a cp.async ring ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"

#include "Common/Counts.h"
#include "Common/Estimates.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem,
                     bool padA, bool padB) {
  auto tileBytes = [](TileShape tile, int64_t bits, bool pads) {
    int64_t row = tile.columns * bits / 8 + (pads ? 16 : 0);
    return alignTo(tile.rows * row, 128);
  };
  TileShape a = getTileA(config, problem), b = getTileB(config, problem);
  return config.stages * (tileBytes(a, problem.getBitsA(), padA) +
                          tileBytes(b, problem.getBitsB(), padB));
}

namespace {

/// The fixed costs of the estimate, in nanoseconds and parts of a peak. From
/// runs on an H200; they rank candidates and promise nothing.
struct Costs {
  double tensorEfficiency = 0.64;
  double sharedEfficiency = 0.9;
  double perStage = 40;
  double perKStep = 20;
  double loadLatency = 1000;
  double prologue = 1200;
  double launch = 2000;
  double reduction = 2500;
};

/// Shape and totals of one launch.
class Estimate {
public:
  Estimate(const KernelConfig &config, const ChipInfo &chip,
           const ProblemInfo &problem)
      : config(config), chip(chip), problem(problem) {
    tilesM = divideCeil(problem.m, config.cta[0]);
    tilesN = divideCeil(problem.n, config.cta[1]);
    int64_t iterations = divideCeil(problem.k, config.cta[2]);
    iterationsPerCta = divideCeil(iterations, config.splitK);
    int64_t slices = divideCeil(iterations, iterationsPerCta);
    numCtas = multiplyCounts({problem.batch, tilesM, tilesN}) * slices;
    residents =
        estimateResidents(config, chip, planSharedMemory(config, problem).ring);
  }

  double getNanoseconds() const {
    double compute = getComputeTime(), dram = getDramTime(), l2 = getL2Time();
    double main = std::max({compute, dram, l2});
    // What does not bind still disturbs a little.
    main += 0.1 * (compute + dram + l2 - main);
    return costs.launch + main + getReductionTime();
  }

private:
  /// One stage of each of `count` resident CTAs.
  double getStageTime(int64_t count) const {
    auto [m, n, k] = config.cta;
    double clock = chip.speed.clockGHz;
    double tensor = static_cast<double>(m * n * k) /
                    (chip.speed.macsPerClock * clock * costs.tensorEfficiency);
    // Fragments that all warps read, and the copies that are written.
    double sharedBytes = 2.0 * k *
                         (config.warps[0] * config.warps[1] *
                              (config.getWarpM() + config.getWarpN()) +
                          m + n);
    double shared = sharedBytes / (128 * clock * costs.sharedEfficiency);
    int64_t kSteps = config.getKSteps() / config.warps[2];
    double alone = std::max({tensor, shared, kSteps * costs.perKStep,
                             costs.loadLatency / (config.stages - 1)}) +
                   costs.perStage;
    return std::max(count * std::max(tensor, shared), alone);
  }

  double getEpilogueBytes() const {
    return config.splitK > 1 ? 4 : problem.epilogueBytes;
  }

  double getCtaTime(int64_t count) const {
    double bytes = getEpilogueBytes() * config.cta[0] * config.cta[1] * count;
    double epilogue = bytes / (chip.speed.dramGBs / chip.speed.numSMs);
    return iterationsPerCta * getStageTime(count) + costs.prologue + epilogue;
  }

  double getComputeTime() const {
    return getWaveTime(numCtas, residents, chip,
                       [&](int64_t count) { return getCtaTime(count); });
  }

  double getDramTime() const {
    double b = problem.batch, m = problem.m, n = problem.n, k = problem.k;
    double inputs = 2 * b * (m + n) * k;
    // What one wave of a band of tiles reads, wave by wave.
    double slots = chip.speed.numSMs * residents;
    double bandM = std::min<double>(config.rasterGroup, tilesM);
    double bandN = std::min<double>(std::ceil(slots / bandM), tilesN);
    double waves = std::ceil(numCtas / slots);
    double perWave = 2 * (bandM * config.cta[0] + bandN * config.cta[1]) *
                     iterationsPerCta * config.cta[2];
    if (inputs > chip.speed.l2MiB * 1048576 / 2)
      inputs = std::max(inputs, waves * perWave);
    double outputs = problem.epilogueBytes * b * m * n;
    return (inputs + outputs) / chip.speed.dramGBs;
  }

  double getL2Time() const {
    double bytes = 2.0 * numCtas * iterationsPerCta *
                   (config.cta[0] + config.cta[1]) * config.cta[2];
    return bytes / chip.speed.l2GBs;
  }

  /// Partial sums are written once and read once, and the kernel launched.
  double getReductionTime() const {
    if (config.splitK == 1)
      return 0;
    double bytes = 4.0 * config.splitK * problem.batch * problem.m * problem.n;
    bool inL2 = bytes < chip.speed.l2MiB * 1048576 / 2;
    double speed = inL2 ? chip.speed.l2GBs / 2 : chip.speed.dramGBs;
    return costs.reduction + 2 * bytes / speed;
  }

  const KernelConfig &config;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  Costs costs;
  int64_t tilesM, tilesN, iterationsPerCta, numCtas, residents;
};

} // namespace

double estimateMultistageTime(const KernelConfig &config, const ChipInfo &chip,
                              const ProblemInfo &problem) {
  return Estimate(config, chip, problem).getNanoseconds() / 1000;
}

} // namespace tcgemm
