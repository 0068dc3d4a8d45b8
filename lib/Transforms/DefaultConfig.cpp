//===- DefaultConfig.cpp - A configuration without tuning -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DefaultConfigs.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

ConfigProvider::~ConfigProvider() = default;

int64_t multiplyCounts(std::initializer_list<int64_t> counts) {
  constexpr int64_t limit = int64_t(1) << 50;
  int64_t product = 1;
  for (int64_t count : counts) {
    std::optional<int64_t> next = checkedMul(product, count);
    product = std::min(next.value_or(limit), limit);
  }
  return product;
}

namespace {

/// A tile and its warps; warp tiles of 64x64 where the problem is large enough.
struct Candidate {
  std::array<int64_t, 3> cta, warps;
};

constexpr Candidate candidates[] = {
    {{128, 256, 64}, {2, 4, 1}}, {{256, 128, 64}, {4, 2, 1}},
    {{128, 128, 64}, {2, 2, 1}}, {{128, 128, 32}, {2, 2, 1}},
    {{128, 64, 64}, {2, 2, 1}},  {{64, 128, 64}, {2, 2, 1}},
    {{64, 160, 64}, {2, 2, 1}},  {{64, 80, 128}, {2, 1, 2}},
    {{64, 64, 64}, {2, 2, 1}},   {{64, 32, 64}, {2, 2, 1}},
    {{32, 64, 64}, {2, 2, 1}},   {{32, 32, 64}, {2, 2, 1}},
    {{128, 32, 64}, {4, 1, 1}},  {{32, 128, 64}, {1, 4, 1}},
    {{128, 16, 64}, {4, 1, 1}},  {{16, 128, 64}, {1, 4, 1}},
    {{64, 16, 64}, {4, 1, 1}},   {{16, 64, 64}, {1, 4, 1}},
    {{16, 64, 128}, {1, 4, 1}},  {{64, 16, 128}, {4, 1, 1}},
    {{16, 16, 128}, {1, 1, 4}},  {{32, 32, 128}, {2, 2, 2}},
};

constexpr int64_t stageCounts[] = {4, 3, 5, 6, 8};

constexpr int64_t sliceCounts[] = {1,  2,  3,  4,  5,  6,  8,  10, 12,
                                   16, 20, 24, 32, 48, 64, 96, 128};

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
    residents = estimateResidents(config, chip, getRingBytes(config, problem));
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

  /// Full waves over all multiprocessors, and the last one.
  double getComputeTime() const {
    int64_t slots = chip.speed.numSMs * residents;
    int64_t waves = numCtas / slots;
    double time = waves * getCtaTime(residents);
    if (int64_t rest = numCtas % slots)
      time += getCtaTime(divideCeil(rest, chip.speed.numSMs));
    return time;
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

/// The problem with typical sizes where they are not known.
ProblemInfo assumeSizes(ProblemInfo problem) {
  for (int64_t *size : {&problem.m, &problem.n, &problem.k})
    if (*size < 0)
      *size = 4096;
    else if (*size == 0)
      *size = 1;
  problem.batch = std::max<int64_t>(1, problem.batch);
  return problem;
}

/// The fastest number of slices for one tile and ring; `time` is its estimate.
void chooseSlices(KernelConfig &config, const ChipInfo &chip,
                  const ProblemInfo &problem, double &time) {
  int64_t iterations = divideCeil(problem.k, config.cta[2]);
  // A workspace of 256 MiB is the most that a default should ask for.
  double bytes = 4.0 * problem.batch * problem.m * problem.n;
  auto limit =
      static_cast<int64_t>(std::min(iterations / 4.0, (256 << 20) / bytes));
  int64_t best = 1;
  for (int64_t slices : sliceCounts) {
    if (slices > 1 && slices > limit)
      break;
    config.splitK = slices;
    double estimate = estimateTime(config, chip, problem);
    if (slices == 1 || estimate < time) {
      time = estimate;
      best = slices;
    }
  }
  config.splitK = best;
}

/// Whether every other row of an operand starts in the middle of a 32-byte
/// sector, as rows of an odd multiple of 16 bytes do; packed ones, too.
bool splitsSectors(const KernelConfig &config, const ProblemInfo &problem) {
  bool alongK = problem.aKContiguous || problem.bKContiguous;
  return alongK && config.cta[2] >= 64 && divideCeil(problem.k, 8) % 2;
}

} // namespace

double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                    const ProblemInfo &problem) {
  if (config.schedule == Schedule::Wgmma)
    return estimateWgmmaTime(config, chip, problem);
  if (config.schedule == Schedule::Simt)
    return estimateSimtTime(config, chip, problem);
  if (config.schedule == Schedule::Gemv)
    return estimateGemvTime(config, chip, problem);
  return Estimate(config, chip, problem).getNanoseconds() / 1000;
}

std::optional<KernelConfig>
DefaultConfigProvider::lookup(const ConfigRequest &request) {
  ProblemInfo problem = assumeSizes(request.problem);
  if (std::optional<KernelConfig> gemv = lookupDefaultGemv(request, problem))
    return gemv;
  // No tensor core takes f32 as it is.
  if (problem.elementBits == 32)
    return lookupDefaultSimt(request, problem);
  if (std::optional<KernelConfig> wgmma = lookupDefaultWgmma(request, problem))
    return wgmma;
  std::optional<KernelConfig> best;
  double bestTime = 0;
  // Only who asks for schedule wmma gets it.
  KernelConfig asked;
  consumeError(asked.apply(request.overrides));
  bool isWmma = asked.schedule == Schedule::Wmma;
  for (const Candidate &candidate : candidates)
    for (int64_t stages : stageCounts) {
      KernelConfig config;
      config.cta = candidate.cta;
      config.warps = candidate.warps;
      config.stages = stages;
      // Measured: 1.5 % for large tiles, but a loss of 5 % where warps split k.
      config.loadsFirst = config.warps[2] == 1;
      if (!isWmma && splitsSectors(config, problem))
        config.shared = SharedLayout::Sectors;
      // What the user fixes steers the choice of the rest.
      KernelConfig fixed;
      bool legal = false;
      // Staged stores write whole sectors, where rows start on whole runs; a
      // small ring has no room for them.
      auto [first, second] =
          problem.n % 8 || isWmma
              ? std::pair(EpilogueKind::Direct, EpilogueKind::Staged)
              : std::pair(EpilogueKind::Staged, EpilogueKind::Direct);
      for (EpilogueKind epilogue : {first, second}) {
        fixed = config;
        fixed.epilogue = epilogue;
        if (Error failure = fixed.apply(request.overrides)) {
          consumeError(std::move(failure));
          return std::nullopt;
        }
        legal = findViolations(fixed, request.chip, problem).empty();
        if (legal)
          break;
      }
      if (!legal)
        continue;
      double time = 0;
      if (isWmma)
        time = estimateTime(fixed, request.chip, problem);
      else
        chooseSlices(fixed, request.chip, problem, time);
      int64_t slices = fixed.splitK;
      cantFail(fixed.apply(request.overrides));
      if (fixed.splitK != slices)
        time = estimateTime(fixed, request.chip, problem);
      // Ties go to the earlier: the larger tile.
      if (!best || time < bestTime * 0.993) {
        best = fixed;
        bestTime = time;
      }
    }
  return best;
}

} // namespace tcgemm
