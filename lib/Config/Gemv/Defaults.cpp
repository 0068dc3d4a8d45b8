//===- Defaults.cpp - A gemv configuration without tuning -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default configuration of gemv, based on measurements
// (docs/performance.md), and a roofline that ranks other configurations: DRAM,
// the bandwidth and latency of a multiprocessor, multiply-adds, and the loads
// of the last CTAs.
//
//===----------------------------------------------------------------------===//

#include "Common/Roofline.h"
#include "Gemv/Family.h"
#include "tcgemm/Config/Gemv.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Rows of the large operand a group, warps along k, vectors ahead, groups.
struct Candidate {
  int64_t groupRows, slices, unroll, groups;
};

/// The first that fits is taken: for one row of the small operand the fastest
/// or within 2 % of it wherever that was measured.
constexpr Candidate candidates[] = {
    {4, 1, 2, 4}, {2, 4, 1, 1}, {2, 2, 1, 2}, {2, 1, 1, 4},
    {1, 4, 2, 1}, {1, 2, 2, 2}, {1, 1, 2, 4},
};

/// For narrow weights. Several rows share the elements of the small operand
/// that a lane has loaded and converted.
constexpr Candidate narrowCandidates[] = {
    {4, 1, 1, 4}, {4, 2, 1, 2}, {2, 1, 1, 4},
    {2, 4, 1, 1}, {1, 4, 1, 1}, {1, 1, 1, 4},
};

/// For weights of 4 bits in tensor cores: measured with one row of the small
/// operand. With 16, mma_sync is faster.
constexpr Candidate tensorCandidates[] = {
    {16, 4, 2, 1}, {16, 4, 1, 1}, {16, 2, 1, 1}, {16, 1, 1, 1}};

/// Returns whether tensor cores are faster than threads: if they can multiply
/// the large operand, of 4 bits, with its scales.
bool prefersTensorCores(const ProblemInfo &problem, bool swapAB) {
  constexpr int64_t leastGroup = 128;
  return problem.getBits(swapAB ? 0 : 1) == 4 &&
         problem.getMultipliedBits() == 16 &&
         (!problem.hasGroupScales() || problem.groups.depth >= leastGroup);
}

/// Returns whether it is measured to be faster than a kernel of tensor cores,
/// or as fast: with one row or two, and with up to four if the large operand is
/// small. One row is also taken of operands that are not contiguous along k.
bool isFaster(const ProblemInfo &problem, bool swapAB) {
  constexpr int64_t smallElements = 1 << 17;
  int64_t few = swapAB ? problem.n : problem.m;
  int64_t many = swapAB ? problem.m : problem.n;
  bool isAlongK = problem.aKContiguous && problem.bKContiguous;
  if (few == 1 || !isAlongK)
    return few == 1;
  if (few == 2)
    return true;
  bool isSmall = many > 0 && problem.k > 0 && many <= smallElements / problem.k;
  return few > 0 && few <= GemvShape::kMostFewRows && isSmall;
}

KernelConfig makeConfig(const Candidate &candidate, bool swapAB, DotMath math,
                        const ProblemInfo &problem) {
  auto [groupRows, slices, unroll, groups] = candidate;
  unsigned few = swapAB ? 1 : 0, many = 1 - few;
  int64_t fewRows = swapAB ? problem.n : problem.m;
  int64_t bits = std::min(problem.getBitsA(), problem.getBitsB());
  KernelConfig c;
  c.schedule = Schedule::Gemv;
  c.swapAB = swapAB;
  c.gemv.math = math;
  bool isTensor = math == DotMath::Mma;
  c.cta[few] = std::min(
      isTensor ? GemvShape::kMostTensorRows : GemvShape::kMostFewRows, fewRows);
  c.cta[many] = groupRows * groups;
  c.cta[2] = (isTensor ? 4 : 32) * slices * unroll * (16 * 8 / bits);
  c.warps[few] = 1;
  c.warps[many] = groups;
  c.warps[2] = slices;
  // Loads of elements cost less than a packing kernel, but single bytes do
  // not.
  c.unaligned = problem.hasElementBits(16)   ? UnalignedPath::Registers
                : problem.hasElementBits(64) ? UnalignedPath::Copy8
                                             : UnalignedPath::Copy4;
  return c;
}

/// The configuration for a large operand that is not contiguous along k:
/// `lanes` lanes along its rows, `slices` warps along k, and slices of k for
/// other CTAs.
KernelConfig makeConfigAcross(int64_t lanes, int64_t slices, int64_t splitK,
                              bool swapAB, const ProblemInfo &problem) {
  constexpr int64_t unroll = 8;
  unsigned few = swapAB ? 1 : 0, many = 1 - few;
  int64_t fewRows = swapAB ? problem.n : problem.m;
  int64_t manyRows = swapAB ? problem.m : problem.n;
  int64_t bits = problem.getBits(many);
  KernelConfig c;
  c.schedule = Schedule::Gemv;
  c.swapAB = swapAB;
  c.cta[few] = std::min(GemvShape::kMostFewRows, fewRows);
  c.cta[many] = lanes * 16 * 8 / bits;
  c.cta[2] = 32 / lanes * slices * unroll;
  c.warps[few] = c.warps[many] = 1;
  c.warps[2] = slices;
  c.splitK = splitK;
  // Without a hint ptxas takes so few registers that the loads of an iteration
  // wait for each other.
  c.minCtas = 1;
  // The widest loads that divide the rows. Single elements have a variant of
  // their own.
  c.unaligned = manyRows % (8 * 8 / bits) == 0 || bits == 64
                    ? UnalignedPath::Copy8
                    : UnalignedPath::Copy4;
  return c;
}

/// Returns the numbers of slices of k to try for CTAs of `config`'s size:
/// powers of two, and those with which the CTAs fill all multiprocessors one to
/// four times.
SmallVector<int64_t> getSliceCounts(const KernelConfig &config,
                                    const ChipInfo &chip,
                                    const ProblemInfo &problem) {
  SmallVector<int64_t> counts{1, 2, 4, 8, 16, 32};
  int64_t tiles = problem.batch * divideCeil(problem.m, config.cta[0]) *
                  divideCeil(problem.n, config.cta[1]);
  for (int64_t rounds : {1, 2, 4}) {
    int64_t count = tiles > 0 ? rounds * chip.speed.numSMs / tiles : 0;
    if (count > 1 && !is_contained(counts, count))
      counts.push_back(count);
  }
  return counts;
}

/// Returns whether the result is a number, or one for each batch.
bool isDotProduct(const ProblemInfo &problem) {
  return problem.m == 1 && problem.n == 1;
}

/// Returns `whole` with the slices of k that are estimated to be the fastest.
/// One CTA, which has the only row, cannot read as fast as memory is.
KernelConfig divideDepth(const GemvFamily &family, const KernelConfig &whole,
                         const ConfigRequest &request,
                         const ProblemInfo &problem) {
  KernelConfig best = whole;
  double bestTime = family.estimateTime(whole, request.chip, problem);
  for (int64_t count : getSliceCounts(whole, request.chip, problem)) {
    KernelConfig c = whole;
    c.splitK = count;
    if (Error failure = c.apply(request.overrides)) {
      consumeError(std::move(failure));
      return whole;
    }
    // A slice has at least one iteration.
    bool isDeep = c.cta[2] * count >= 2 * problem.k;
    if (isDeep || !tcgemm::isLegal(c, request.chip, problem))
      continue;
    double time = family.estimateTime(c, request.chip, problem);
    if (time < bestTime) {
      best = c;
      bestTime = time;
    }
  }
  return best;
}

/// Tiles of no more than these many bytes of k may be deeper than the problem.
constexpr int64_t kShallowBytes = 1024;

/// The part of the memory's bandwidth for CTAs that read some bytes of each k
/// of a large operand whose rows are neighbours. Short pieces take a page of
/// DRAM each: for 512 x 1 x 500000 on an H100, pieces of 64 bytes took 1.42
/// times as long as those of 256, and pieces of 128 bytes 1.04 times.
double getPieceEfficiency(const GemvShape &shape, double bytesPerElement) {
  double bytes = double(shape.manyRows) * bytesPerElement;
  if (!shape.across || bytes >= 256)
    return 1;
  return bytes >= 128 ? 0.95 : 0.75;
}

/// Nanoseconds in which a thread of the reduction waits for partial sums: it
/// loads those of 16 slices at a time.
double getSliceLatency(int64_t slices) {
  constexpr double latency = 700, together = 16;
  return slices > 1 ? std::ceil(double(slices) / together) * latency : 0;
}

} // namespace

double GemvFamily::estimateTime(const KernelConfig &config,
                                const ChipInfo &chip,
                                const ProblemInfo &problem) const {
  // Nanoseconds: of a launch, of a load from DRAM, of the sum over warps and
  // the epilogue. Without barriers and descriptors a launch costs less than
  // that of the other schedules.
  constexpr double launch = 500, latency = 800, sums = 300;
  constexpr double efficiency = 0.85, perElement = 2;
  KernelWork work = describeWork(config, chip, problem);
  GemvShape shape = getGemvShape(config, problem);
  // Bytes that a multiprocessor reads in a clock. 32 of an H200 read 33 each
  // when they multiplied 512 x 1 x 500000 across k.
  double bytesPerClock = shape.across ? 33 : 64;
  int64_t manyRows = shape.manyRows;
  // Bytes of an element of the large operand.
  double bytes =
      static_cast<double>(problem.getBits(config.swapAB ? 0 : 1)) / 8;
  double k = problem.k, clock = chip.speed.clockGHz;
  double depth = k / static_cast<double>(config.splitK); // of a CTA
  // By waves, each of trips that wait for their loads; and what a
  // multiprocessor takes in.
  double waves = std::ceil(work.ctas / (work.processors * work.residents));
  double rows = std::ceil(work.ctas / work.processors) * manyRows;
  double waiting = std::max(waves * (work.iterations * latency + sums),
                            rows * depth * bytes / (bytesPerClock * clock));
  double rate = efficiency * chip.speed.dramGBs;
  double dram = getMemoryTime(work, rate * getPieceEfficiency(shape, bytes));
  // Rows and elements past the operands' are multiplied like others. For tensor
  // cores a weight is converted once.
  double macs = work.rowMacs * work.columns;
  if (config.gemv.math == DotMath::Mma)
    macs /= static_cast<double>(shape.fewRows);
  double clocks =
      work.ctas * work.iterations * macs * perElement / chip.speed.fmasPerClock;
  double fmas = clocks / (work.processors * clock);
  // Half of the multiprocessors reach the bandwidth of memory only if nothing
  // disturbs them.
  double disturbance = shape.across ? 0.2 : 0.05;
  double main = combineBounds({dram, waiting, fmas}, disturbance);
  // The last CTAs' loads find nothing to hide behind: CTAs with one row of the
  // large operand are faster than any with more, which the other terms miss.
  double last = work.residents * manyRows *
                std::min<double>(depth, config.cta[2]) * bytes;
  double tail = 0.2 * last * work.processors / rate;
  return (launch + main + tail + getReductionTime(work, rate) +
          getSliceLatency(config.splitK)) /
         1000;
}

/// The configuration that is estimated to be the fastest, for a large operand
/// that is not contiguous along k.
std::optional<KernelConfig>
GemvFamily::proposeAcross(const ConfigRequest &request,
                          const ProblemInfo &problem, bool swapAB) const {
  std::optional<KernelConfig> best;
  double bestTime = 0;
  // Four lanes read 64 bytes of a k, two sectors.
  for (int64_t lanes : {32, 16, 8, 4})
    for (int64_t slices : {8, 4, 16}) {
      KernelConfig whole = makeConfigAcross(lanes, slices, 1, swapAB, problem);
      for (int64_t splitK : getSliceCounts(whole, request.chip, problem)) {
        KernelConfig c = whole;
        c.splitK = splitK;
        // A slice has at least one iteration.
        bool isDeep = c.cta[2] * splitK >= 2 * problem.k && splitK > 1;
        if (Error failure = c.apply(request.overrides)) {
          consumeError(std::move(failure));
          return std::nullopt;
        }
        if (isDeep || c.schedule != Schedule::Gemv ||
            !tcgemm::isLegal(c, request.chip, problem))
          continue;
        double time = estimateTime(c, request.chip, problem);
        if (!best || time < bestTime) {
          best = c;
          bestTime = time;
        }
      }
    }
  return best;
}

std::optional<KernelConfig>
GemvFamily::proposeDefault(const ConfigRequest &request,
                           const ProblemInfo &problem) const {
  KernelConfig asked;
  consumeError(asked.apply(request.overrides));
  bool isAsked = asked.schedule == Schedule::Gemv;
  bool isDot = isDotProduct(problem);
  if (!isAsked && problem.getMultipliedBits() != 16 && !isDot)
    return std::nullopt;
  auto getConfig = [&](const Candidate &candidate, bool swapAB,
                       DotMath math) -> std::optional<KernelConfig> {
    KernelConfig c = makeConfig(candidate, swapAB, math, problem);
    int64_t fewRows = swapAB ? problem.n : problem.m;
    int64_t bits = std::min(problem.getBitsA(), problem.getBitsB());
    bool isDeep =
        c.cta[2] * bits / 8 > kShallowBytes && c.cta[2] >= 2 * problem.k;
    if (Error failure = c.apply(request.overrides)) {
      consumeError(std::move(failure));
      return std::nullopt;
    }
    bool isWide =
        candidate.groupRows > fewRows && (isDot || !problem.convertsOperands());
    if (isWide || c.gemv.math != math || isDeep ||
        c.schedule != Schedule::Gemv ||
        !tcgemm::isLegal(c, request.chip, problem))
      return std::nullopt;
    return c;
  };
  // A fixed tile is meant for one of the two sides.
  KernelConfig standard;
  bool isShaped = asked.cta != standard.cta || asked.warps != standard.warps;
  for (bool swapAB : {false, true}) {
    bool isBetter = isFaster(request.problem, swapAB);
    if ((!isAsked && !isBetter) || (isShaped && swapAB != asked.swapAB))
      continue;
    if (isAcross(problem, swapAB)) {
      if (std::optional<KernelConfig> config =
              proposeAcross(request, problem, swapAB))
        return config;
      continue;
    }
    if (prefersTensorCores(problem, swapAB))
      for (const Candidate &candidate : tensorCandidates)
        if (std::optional<KernelConfig> config =
                getConfig(candidate, swapAB, DotMath::Mma))
          return config;
    for (const Candidate &candidate : problem.convertsOperands()
                                          ? ArrayRef(narrowCandidates)
                                          : ArrayRef(candidates))
      if (std::optional<KernelConfig> config =
              getConfig(candidate, swapAB, DotMath::Fma))
        return isDot ? divideDepth(*this, *config, request, problem) : *config;
  }
  return std::nullopt;
}

} // namespace tcgemm
