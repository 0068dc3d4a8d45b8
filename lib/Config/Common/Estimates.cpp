//===- Estimates.cpp - Parts of the estimates of all schedules ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Estimates.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

double getWaveTime(int64_t numCtas, int64_t residents, const ChipInfo &chip,
                   function_ref<double(int64_t)> getCtaTime) {
  int64_t slots = chip.speed.numSMs * residents;
  int64_t waves = numCtas / slots;
  double time = waves * getCtaTime(residents);
  if (int64_t rest = numCtas % slots)
    time += getCtaTime(divideCeil(rest, chip.speed.numSMs));
  return time;
}

double getSinglePassTime(const ProblemInfo &problem, const ChipInfo &chip,
                         double elementBytes) {
  double b = problem.batch, m = problem.m, n = problem.n, k = problem.k;
  return (elementBytes * b * (m + n) * k + problem.epilogueBytes * b * m * n) /
         chip.speed.dramGBs;
}

double getReductionTime(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem) {
  if (config.splitK == 1)
    return 0;
  double bytes = 8.0 * config.splitK * problem.batch * problem.m * problem.n;
  return 2500 + bytes / (chip.speed.l2GBs / 2);
}

} // namespace tcgemm
