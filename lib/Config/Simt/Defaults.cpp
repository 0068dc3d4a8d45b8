//===- Defaults.cpp - A simt configuration without tuning -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the default model of mma_sync, without figures of runs: what a
// multiprocessor's fma units, its shared memory and the DRAM take at least.
//
//===----------------------------------------------------------------------===//

#include "Common/Roofline.h"
#include "Simt/Family.h"
#include "tcgemm/Config/Simt.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// K is that of elements with 4 or 8 bytes.
struct Candidate {
  std::array<int64_t, 3> cta, threads;
};

constexpr Candidate candidates[] = {
    {{128, 128, 8}, {16, 16, 1}}, {{128, 128, 16}, {16, 16, 1}},
    {{128, 64, 8}, {16, 8, 1}},   {{64, 128, 8}, {8, 16, 1}},
    {{64, 64, 16}, {8, 8, 1}},    {{64, 64, 16}, {16, 16, 1}},
    {{32, 64, 16}, {8, 16, 1}},   {{64, 32, 16}, {16, 8, 1}},
    {{32, 32, 32}, {8, 8, 1}},    {{32, 32, 32}, {16, 16, 1}},
    {{16, 64, 32}, {8, 16, 1}},   {{64, 16, 32}, {16, 8, 1}},
};

constexpr int64_t stageCounts[] = {4, 3, 6};
constexpr int64_t sliceCounts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

class Estimate {
public:
  Estimate(const KernelConfig &c, const ChipInfo &chip,
           const ProblemInfo &problem, const KernelWork &work)
      : c(c), chip(chip), problem(problem), work(work) {}

  double getNanoseconds() const {
    constexpr double launch = 2000;
    double dram = getMemoryTime(work, chip.speed.dramGBs);
    double l2 =
        work.ctas * work.iterations * work.stageBytes / chip.speed.l2GBs;
    return launch + combineBounds({getComputeTime(), dram, l2}) +
           getReductionTime(work, chip.speed.l2GBs / 2);
  }

private:
  StageTime getStageTime() const {
    constexpr double latency = 900, perStage = 60, perStep = 30;
    constexpr double efficiency = 0.85;
    double clock = chip.speed.clockGHz;
    auto [m, n, k] = c.cta;
    int64_t warps = c.getNumThreads() / 32;
    // Each group of threads has its part of the steps.
    k /= c.simt.threads[2];
    double fma =
        work.rowMacs * work.columns / (getMultiplyRate() * clock * efficiency);
    // Many of a warp's reads of 16 bytes have the same address: two clocks
    // each.
    double read =
        (c.getThreadM() / getWidth(0) + c.getThreadN() / getWidth(1)) * k *
        warps * 2;
    double write = double(m + n) * c.cta[2] * problem.getBitsA() / 1024;
    double shared = (read + write) / clock;
    // Reads take slots that multiply-adds could have.
    double busy = std::max(fma, shared) + 0.4 * std::min(fma, shared);
    double steps = std::max(busy, k * perStep);
    // With one stage no copy overlaps a product of the same CTA.
    double alone = work.stages > 1
                       ? std::max(steps, latency / (work.stages - 1))
                       : steps + latency;
    return {busy, alone + perStage};
  }

  double getWidth(unsigned operand) const {
    int64_t depth = getSimtDepth(c, problem);
    return double(depth > 1 ? depth : getSimtVector(c, problem, operand));
  }

  /// Products of the type that a multiprocessor adds in a clock.
  double getMultiplyRate() const {
    // A minimum or maximum of f32 has half the rate of an addition, as all
    // operations on integers have. Two of these are one instruction or two.
    bool isPlain =
        problem.algebra.isDefault() && problem.typeA != ScalarType::I32;
    double rate = isPlain ? 1 : 0.5;
    if (problem.getSumBytes() == 8)
      return rate * chip.speed.doubleFmasPerClock;
    // dp4a adds 4 products, at half the rate of a fused multiply-add.
    return isPlain && problem.hasElementBits(8)
               ? 2 * chip.speed.fmasPerClock
               : rate * chip.speed.fmasPerClock;
  }

  double getComputeTime() const {
    constexpr double prologue = 1500;
    StageTime stage = getStageTime();
    double output = double(problem.epilogueBytes) * c.cta[0] * c.cta[1] /
                    (chip.speed.dramGBs / work.processors);
    return addWaves(
        0, work, work.processors * work.residents, [&](double count, double) {
          return work.iterations * stage.get(count) + prologue + output * count;
        });
  }

  const KernelConfig &c;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  KernelWork work;
};

} // namespace

double SimtFamily::estimateTime(const KernelConfig &config,
                                const ChipInfo &chip,
                                const ProblemInfo &problem) const {
  KernelWork work = describeWork(config, chip, problem);
  return Estimate(config, chip, problem, work).getNanoseconds() / 1000;
}

/// Returns whether tensor cores multiply the type faster than FMA units do.
/// They have no other algebras.
static bool hasFasterTensorCores(const ChipInfo &chip,
                                 const ProblemInfo &problem) {
  if (!problem.algebra.isDefault())
    return false;
  if (problem.typeA == ScalarType::F64)
    return chip.speed.doubleMacsPerClock > chip.speed.doubleFmasPerClock;
  return problem.hasElementBits(8);
}

std::optional<KernelConfig>
SimtFamily::proposeDefault(const ConfigRequest &request,
                           const ProblemInfo &problem) const {
  KernelConfig asked;
  consumeError(asked.apply(request.overrides));
  if (!takesElements(problem) || (asked.schedule != Schedule::Simt &&
                                  hasFasterTensorCores(request.chip, problem)))
    return std::nullopt;
  std::optional<KernelConfig> best;
  double bestTime = 0;
  auto tryConfig = [&](KernelConfig config) {
    if (Error failure = config.apply(request.overrides)) {
      consumeError(std::move(failure));
      return;
    }
    if (!tcgemm::isLegal(config, request.chip, problem))
      return;
    double time = estimateTime(config, request.chip, problem);
    // Ties go to the earlier: the larger tile.
    if (!best || time < bestTime * 0.995) {
      best = config;
      bestTime = time;
    }
  };
  for (const Candidate &candidate : candidates)
    for (int64_t stages : stageCounts)
      for (int64_t slices : sliceCounts) {
        KernelConfig config;
        config.schedule = Schedule::Simt;
        config.cta = candidate.cta;
        if (problem.hasElementBits(8)) {
          config.cta[2] *= 4;
          config.simt.transposeStaging = false;
        }
        config.simt.threads = candidate.threads;
        config.stages = stages;
        config.splitK = slices;
        // Copies of single elements cost less than a packing kernel.
        config.unaligned = problem.getBitsA() == 64 ? UnalignedPath::Copy8
                                                    : UnalignedPath::Copy4;
        // The maximum workspace of a default is 256 MiB.
        double partials = double(problem.getSumBytes()) * slices *
                          problem.batch * problem.m * problem.n;
        if (slices == 1 ||
            (problem.k >= 8 * slices * config.cta[2] && partials <= 256 << 20))
          tryConfig(config);
      }
  return best;
}

} // namespace tcgemm
