//===- Tiling.cpp - Tilings of a kernel and their simulated times ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Tiling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

using V = TilingVariable;

struct VariableInfo {
  StringLiteral name;
  int64_t most; ///< The smallest value is 1.
};

constexpr VariableInfo infos[] = {{"tm", 4096},      {"tn", 4096},
                                  {"tk", 4096},      {"depth", kMaxRingDepth},
                                  {"copy_warps", 2}, {"warpgroups", 8},
                                  {"cluster_m", 8},  {"cluster_n", 8},
                                  {"split", 1024}};
static_assert(std::size(infos) == kNumTilingVariables);

constexpr int64_t kMostSize = int64_t(1) << 24;

} // namespace

StringRef getName(TilingVariable variable) {
  return infos[size_t(variable)].name;
}

TilingSpace TilingSpace::ofWgmma(int64_t mostSide, int64_t mostCluster,
                                 int64_t mostSplit) {
  TilingSpace space;
  auto add = [&](V variable, int64_t low, int64_t high, int64_t step) {
    for (int64_t value = low; value <= high; value += step)
      space.values[size_t(variable)].push_back(value);
  };
  auto addPowers = [&](V variable, int64_t low, int64_t high) {
    for (int64_t value = low; value <= high; value *= 2)
      space.values[size_t(variable)].push_back(value);
  };
  add(V::TileM, 64, mostSide, 64);
  add(V::TileN, 8, mostSide, 8);
  addPowers(V::TileK, 32, 128);
  add(V::Depth, 2, 12, 1);
  add(V::CopyWarps, 1, 1, 1);
  add(V::Warpgroups, 1, 3, 1);
  addPowers(V::ClusterM, 1, mostCluster);
  addPowers(V::ClusterN, 1, mostCluster);
  addPowers(V::Split, 1, mostSplit);
  return space;
}

void TilingSpace::setDepths(const ProblemInfo &product) {
  if (!product.splitsOperands())
    return;
  // A row of a part has 64 or 128 bytes.
  int64_t least =
      512 / product.getMultipliedBits() * getNumProducts(product.typeA);
  values[size_t(V::TileK)] = {least, 2 * least};
}

Error checkTilingProblem(const TilingProblem &problem) {
  const ProblemInfo &product = problem.product;
  for (auto [name, size] :
       {std::pair("M", product.m), std::pair("N", product.n),
        std::pair("K", product.k), std::pair("batch", product.batch)})
    if (size < 1 || size > kMostSize)
      return createStringError(
          formatv("{0} = {1}, but it must be 1 to {2}", name, size, kMostSize));
  for (auto [info, values] : zip_equal(infos, problem.space.values)) {
    if (values.empty())
      return createStringError(info.name + " has no values");
    for (int64_t value : values)
      if (value < 1 || value > info.most)
        return createStringError(formatv("{0} = {1}, but it must be 1 to {2}",
                                         info.name, value, info.most));
  }
  return Error::success();
}

KernelConfig chooseBase(const ProblemInfo &product) {
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  config.epilogue =
      product.tmaOutputs ? EpilogueKind::Tma : EpilogueKind::Direct;
  config.wgmma.promoteSums =
      product.splitsOperands() || product.hasBlockScales();
  return config;
}

KernelConfig getConfig(const TilingProblem &problem, const Tiling &tiling) {
  KernelConfig config = problem.base;
  config.cta = {tiling.get(V::TileM), tiling.get(V::TileN),
                tiling.get(V::TileK)};
  config.instruction = {64, tiling.get(V::TileN), 16};
  config.warps = {4 * tiling.get(V::Warpgroups), 1, 1};
  config.stages = tiling.get(V::Depth);
  config.splitK = tiling.get(V::Split);
  config.wgmma.cluster = {tiling.get(V::ClusterM), tiling.get(V::ClusterN), 1};
  return config;
}

/// CTAs along a side: whole clusters.
static int64_t countAlong(int64_t size, int64_t tile, int64_t cluster) {
  return int64_t(alignTo(divideCeil(size, tile), cluster));
}

TilingTimes getTilingTimes(const TilingProblem &problem, const Tiling &tiling) {
  const ProblemInfo &product = problem.product;
  const Machine &machine = problem.machine;
  int64_t m = tiling.get(V::TileM), n = tiling.get(V::TileN),
          k = tiling.get(V::TileK), split = tiling.get(V::Split);
  int64_t elements = product.batch * product.m * product.n;
  constexpr int64_t sumBytes = 4;
  TilingTimes result;
  RingTimes &times = result.times;
  // Products of parts share these.
  int64_t stored =
      k / getNumProducts(product.typeA) * getNumParts(product.typeA);
  times.copyA = getCopyTime(machine, m, stored, product.getBitsA(),
                            tiling.get(V::ClusterN));
  times.copyB = getCopyTime(machine, n, stored, product.getBitsB(),
                            tiling.get(V::ClusterM));
  times.math = getMathTime(machine, {m, n, k}, product.getMultipliedBits());
  times.epilogue = getEpilogueTime(
      machine, m * n * (split > 1 ? sumBytes : product.epilogueBytes));
  times.init = getLaunchTime(machine);
  result.shape.stages = divideCeil(divideCeil(product.getDepth(), k), split);
  result.shape.depth = tiling.get(V::Depth);
  result.shape.copyWarps = tiling.get(V::CopyWarps);
  int64_t ctas = product.batch *
                 countAlong(product.m, m, tiling.get(V::ClusterM)) *
                 countAlong(product.n, n, tiling.get(V::ClusterN)) * split;
  result.waves = divideCeil(ctas, machine.getProcessors());
  if (split > 1)
    result.reduction = getReductionTime(
        machine, elements * (split * sumBytes + product.epilogueBytes));
  return result;
}

Expected<Picoseconds> simulateTiling(const TilingProblem &problem,
                                     const Tiling &tiling) {
  TilingTimes times = getTilingTimes(problem, tiling);
  Expected<RingResult> result =
      simulateRing(times.times, times.shape, times.waves);
  if (!result)
    return result.takeError();
  return problem.objective == TilingObjective::Time
             ? result->total + times.reduction
             : result->wait;
}

SmallVector<Violation> findViolations(const TilingProblem &problem,
                                      const Tiling &tiling) {
  if (!problem.chip)
    return {};
  return findViolations(getConfig(problem, tiling), *problem.chip,
                        problem.product);
}

Error makeNoTilingError(const TilingProblem &problem) {
  Tiling first;
  std::string text;
  for (auto [info, values, value] :
       zip_equal(infos, problem.space.values, first.values)) {
    value = values.front();
    text += formatv(" {0} = {1}", info.name, value);
  }
  std::string rules;
  for (const Violation &violation : findViolations(problem, first))
    rules += "; " + violation.message;
  return createStringError("no tiling of the space is legal. The first is" +
                           text + rules);
}

Expected<TilingSolution> enumerateTilings(const TilingProblem &problem) {
  if (Error error = checkTilingProblem(problem))
    return std::move(error);
  TilingSolution best;
  std::array<size_t, kNumTilingVariables> positions = {};
  Tiling tiling;
  while (true) {
    for (auto [position, values, value] :
         zip_equal(positions, problem.space.values, tiling.values))
      value = values[position];
    if (findViolations(problem, tiling).empty()) {
      Expected<Picoseconds> objective = simulateTiling(problem, tiling);
      if (!objective)
        return objective.takeError();
      if (best.numChecks++ == 0 || *objective < best.objective) {
        best.tiling = tiling;
        best.objective = *objective;
      }
    }
    size_t i = 0;
    while (i < kNumTilingVariables &&
           ++positions[i] == problem.space.values[i].size())
      positions[i++] = 0;
    if (i == kNumTilingVariables)
      break;
  }
  if (best.numChecks == 0)
    return makeNoTilingError(problem);
  best.isProven = true;
  return best;
}

} // namespace tcgemm
