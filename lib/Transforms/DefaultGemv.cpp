//===- DefaultGemv.cpp - A gemv configuration without tuning --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline: DRAM as fast as the bytes under way allow, L2 and multiply-adds
// for what several CTAs read of the same rows.
//
//===----------------------------------------------------------------------===//

#include "DefaultConfigs.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Rows of the large operand a group, warps along k, vectors ahead, groups.
struct Candidate {
  int64_t groupRows, slices, unroll, groups;
};

constexpr Candidate candidates[] = {
    {4, 4, 2, 2}, {4, 2, 2, 2}, {2, 4, 2, 2}, {1, 4, 2, 1}, {1, 8, 2, 1},
    {2, 2, 4, 2}, {1, 2, 4, 2}, {1, 4, 1, 1}, {1, 2, 2, 2}, {1, 1, 4, 4},
};
constexpr int64_t kMostFewRows = 4;

} // namespace

double estimateGemvTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem) {
  // Nanoseconds: of a launch, of a load from DRAM, of the sum over warps and
  // the epilogue. Without barriers and descriptors a launch costs a microsecond
  // less than that of the other schedules.
  constexpr double launch = 1000, latency = 800, sums = 500;
  constexpr double efficiency = 0.95, bytesPerClock = 64, perElement = 2;
  GemvShape shape = getGemvShape(config, problem);
  double bytes = problem.elementBits / 8;
  double m = problem.m, n = problem.n, k = problem.k, batch = problem.batch;
  double few = config.swapAB ? n : m, many = config.swapAB ? m : n;
  double tilesFew = std::ceil(few / shape.fewRows);
  double ctas = batch * tilesFew * std::ceil(many / shape.manyRows);
  int64_t threads = config.getNumThreads();
  int64_t registers = alignTo(estimateRegisters(config), 8) * threads;
  int64_t residents =
      std::max<int64_t>(1, std::min(chip.registersPerSM / registers,
                                    chip.maxThreadsPerSM / threads));
  double slots = static_cast<double>(chip.speed.numSMs * residents);
  // By waves, each of trips that wait for their loads, and what a
  // multiprocessor takes in.
  double trips = std::ceil(k / config.cta[2]);
  double rows = std::ceil(ctas / chip.speed.numSMs) * shape.manyRows;
  double waiting = std::ceil(ctas / slots) * (trips * latency + sums) +
                   rows * k * bytes / (bytesPerClock * chip.speed.clockGHz);
  double dram =
      (batch * bytes * (m + n) * k + problem.epilogueBytes * batch * m * n) /
      (efficiency * chip.speed.dramGBs);
  // Rows past the operand's are loaded and multiplied like others.
  double padded = shape.fewRows + shape.manyRows;
  double l2 = ctas * padded * k * bytes / chip.speed.l2GBs;
  double clocks = ctas * shape.fewRows * shape.manyRows * k * perElement /
                  chip.speed.fmasPerClock;
  double fmas = clocks / (chip.speed.numSMs * chip.speed.clockGHz);
  double main = std::max({dram, waiting, l2, fmas});
  // What does not bind still disturbs a little.
  main += 0.05 * (dram + waiting + l2 + fmas - main);
  return (launch + sums + main) / 1000;
}

std::optional<KernelConfig> lookupDefaultGemv(const ConfigRequest &request,
                                              const ProblemInfo &problem) {
  KernelConfig asked;
  consumeError(asked.apply(request.overrides));
  bool isAsked = asked.schedule == Schedule::Gemv;
  if (!isAsked && problem.elementBits != 16)
    return std::nullopt;
  std::optional<KernelConfig> best;
  double bestTime = 0;
  auto tryCandidate = [&](const Candidate &candidate, bool swapAB) {
    auto [groupRows, slices, unroll, groups] = candidate;
    unsigned few = swapAB ? 1 : 0, many = 1 - few;
    int64_t vector = 128 / problem.elementBits;
    KernelConfig c;
    c.schedule = Schedule::Gemv;
    c.swapAB = swapAB;
    c.cta[few] = std::min(kMostFewRows, swapAB ? problem.n : problem.m);
    c.cta[many] = groupRows * groups;
    c.cta[2] = 32 * slices * unroll * vector;
    c.warps[few] = 1;
    c.warps[many] = groups;
    c.warps[2] = slices;
    // Loads of elements cost less than a packing kernel.
    c.unaligned = problem.elementBits == 16 ? UnalignedPath::Registers
                                            : UnalignedPath::Copy4;
    if (Error failure = c.apply(request.overrides)) {
      consumeError(std::move(failure));
      return;
    }
    if (c.schedule != Schedule::Gemv ||
        !findViolations(c, request.chip, problem).empty())
      return;
    double time = estimateGemvTime(c, request.chip, problem);
    // Ties go to the earlier: more rows at a time.
    if (!best || time < bestTime * 0.995) {
      best = c;
      bestTime = time;
    }
  };
  // Whose tile is fixed means one of the sides by it.
  KernelConfig standard;
  bool isShaped = asked.cta != standard.cta || asked.warps != standard.warps;
  for (bool swapAB : {false, true}) {
    bool isVector = (swapAB ? request.problem.n : request.problem.m) == 1;
    if ((!isAsked && !isVector) || (isShaped && swapAB != asked.swapAB))
      continue;
    for (const Candidate &candidate : candidates)
      tryCandidate(candidate, swapAB);
  }
  return best;
}

} // namespace tcgemm
