//===- Multistage.cpp - Kernels with a cp.async ring ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"

#include "Common/Roofline.h"
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
};

class Estimate {
public:
  Estimate(const KernelConfig &config, const ChipInfo &chip,
           const ProblemInfo &problem, const KernelWork &launched)
      : config(config), chip(chip), problem(problem), work(launched) {
    // Slices without a k-tile take no time.
    double iterations = std::ceil(double(problem.getDepth()) / config.cta[2]);
    double slices = std::ceil(iterations / work.iterations);
    work.ctas = launched.ctas / config.splitK * slices;
  }

  double getNanoseconds() const {
    double main = combineBounds({getComputeTime(), getDramTime(), getL2Time()});
    // Partial sums that fit the L2 cache stay there.
    bool inL2 = work.reduceBytes / 2 < chip.speed.l2MiB * 1048576 / 2;
    double rate = inL2 ? chip.speed.l2GBs / 2 : chip.speed.dramGBs;
    return costs.launch + main + getReductionTime(work, rate);
  }

private:
  StageTime getStageTime() const {
    double clock = chip.speed.clockGHz;
    double tensor = work.rowMacs * work.columns * problem.getRelativeWidth() /
                    (getMacRate() * clock * costs.tensorEfficiency);
    // Fragments that all warps read, and the copies that are written.
    double shared = (work.fragmentBytes + work.stageBytes) /
                    (128 * clock * costs.sharedEfficiency);
    double busy = std::max(tensor, shared);
    int64_t kSteps =
        config.cta[2] * problem.getMultipliedBits() / 256 / config.warps[2];
    double alone = std::max({busy, kSteps * costs.perKStep,
                             costs.loadLatency / (work.stages - 1)}) +
                   costs.perStage;
    return {busy, alone};
  }

  /// Multiply-adds of a multiprocessor and clock, as of elements with 16 bits.
  double getMacRate() const {
    return problem.getSumBytes() == 8
               ? chip.speed.doubleMacsPerClock * problem.getRelativeWidth()
               : chip.speed.macsPerClock;
  }

  /// Full waves over all multiprocessors, and the last one.
  double getComputeTime() const {
    StageTime stage = getStageTime();
    int64_t perElement =
        config.splitK > 1 ? problem.getSumBytes() : problem.epilogueBytes;
    double tileBytes = double(perElement * config.cta[0] * config.cta[1]);
    double rate = chip.speed.dramGBs / work.processors;
    return addWaves(0, work, work.processors * work.residents,
                    [&](double count, double) {
                      return work.iterations * stage.get(count) +
                             costs.prologue + tileBytes * count / rate;
                    });
  }

  double getDramTime() const {
    double inputs = work.inputBytes;
    // The bytes that each wave of a band of tiles reads.
    if (inputs > chip.speed.l2MiB * 1048576 / 2) {
      double slots = work.processors * work.residents;
      double tilesM = std::ceil(double(problem.m) / config.cta[0]);
      double tilesN = std::ceil(double(problem.n) / config.cta[1]);
      double bandM = std::min<double>(config.rasterGroup, tilesM);
      double bandN = std::min<double>(std::ceil(slots / bandM), tilesN);
      double perWave = 2 * (bandM * config.cta[0] + bandN * config.cta[1]) *
                       work.iterations * config.cta[2];
      inputs = std::max(inputs, std::ceil(work.ctas / slots) * perWave);
    }
    return (inputs + work.outputBytes) / chip.speed.dramGBs;
  }

  double getL2Time() const {
    return work.ctas * work.iterations * work.stageBytes / chip.speed.l2GBs;
  }

  const KernelConfig &config;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  Costs costs;
  KernelWork work;
};

} // namespace

double estimateMultistageTime(const KernelConfig &config, const ChipInfo &chip,
                              const ProblemInfo &problem,
                              const KernelWork &work) {
  return Estimate(config, chip, problem, work).getNanoseconds() / 1000;
}

} // namespace tcgemm
