//===- TimeBound.cpp - A time that a kernel does not fall below -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/TimeBound.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/Sizes.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

class BoundModel {
public:
  BoundModel(const SpeedLimits &limits, const KernelConfig &config,
             const ChipInfo &chip, const ProblemInfo &problem)
      : limits(limits), config(config), chip(chip), problem(problem),
        work(describeWork(config, chip, problem)) {}

  TimeBound compute() const;

private:
  double get(SpeedLimit limit) const { return limits.get(limit); }
  double getPlaces() const;
  double countResidents() const;
  double countBusiestStages(double processors) const;
  double countSerialStages() const;
  double getStageProducts() const;

  const SpeedLimits &limits;
  const KernelConfig &config;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  const KernelWork work;
};

} // namespace

/// The multiprocessors that the CTAs can use. Each group of them has an even
/// number of at most 18, so that clusters of four leave some idle.
double BoundModel::getPlaces() const {
  bool isOfFours = std::fmod(work.clusterSize, 4) == 0;
  return isOfFours
             ? std::min(work.processors, get(SpeedLimit::ClusterProcessors))
             : work.processors;
}

/// The most CTAs that one multiprocessor can hold. Registers are not counted:
/// only estimates are known.
double BoundModel::countResidents() const {
  int64_t shared = planSharedMemory(config, problem).getTotal();
  int64_t threads = std::max<int64_t>(1, config.getNumThreads());
  return double(std::max<int64_t>(
      1, std::min(chip.sharedPerSM / (shared + chip.sharedReserved),
                  chip.maxThreadsPerSM / threads)));
}

/// The stages that the multiprocessor with the most of them goes through: the
/// average over all, and those of the most CTAs that one has in any case.
double BoundModel::countBusiestStages(double processors) const {
  return std::max(work.ctas * work.meanIterations / processors,
                  std::ceil(work.ctas / processors) * work.leastIterations);
}

/// The stages that follow each other in one place for a CTA. A CTA of a
/// persistent kernel computes its tiles one after the other. If not all of
/// these CTAs have a place at once, some begin when others have ended.
double BoundModel::countSerialStages() const {
  double places = getPlaces() * countResidents();
  double tiles = std::ceil(work.ctas / std::min(places, work.ctas));
  if (work.isPersistent) {
    double least = std::floor(work.ctas / work.launchedCtas);
    tiles = std::ceil(work.ctas / work.launchedCtas);
    tiles = std::max(tiles, least * std::ceil(work.launchedCtas / places));
  }
  return tiles * work.leastIterations;
}

/// The tensor cores' time of a stage of a CTA.
double BoundModel::getStageProducts() const {
  return countStageMacs(work, problem) / get(SpeedLimit::MathRate);
}

/// Returns whether kernels do all of the work that describeWork counts. Others
/// leave out zeros, read elements several times or compute with other
/// instructions.
static bool hasCountedWork(const ProblemInfo &problem) {
  constexpr std::array<int64_t, 2> none = {0, 0};
  return !problem.isGrouped && !problem.convolution &&
         !problem.representation && !problem.isStructured() &&
         !problem.isDual() && problem.algebra.isDefault() &&
         !problem.splitsOperands() && !problem.hasSummedDim() &&
         problem.coefficients == none;
}

TimeBound BoundModel::compute() const {
  TimeBound bound;
  bound.launch = config.dependentLaunch ? 0 : get(SpeedLimit::Launch);
  if (!hasCountedWork(problem))
    return bound;
  double places = getPlaces();
  double products = getStageProducts();
  double busiest = countBusiestStages(places);
  bound.products = busiest * products;
  // A kernel that packs reads from memory; the main kernel finds the packed
  // operands in the L2 cache at best.
  bound.memory = work.inputBytes / get(SpeedLimit::MemoryRate);
  if (work.packBytes > 0) {
    bound.others +=
        bound.launch + work.packBytes / 2 / get(SpeedLimit::MemoryRate);
    bound.memory = 0;
  }
  if (work.reduceBytes > 0)
    bound.others += bound.launch;
  if (work.copiesByTma) {
    double serial = countSerialStages();
    bound.firstCopy = get(SpeedLimit::CopyLatency);
    bound.epilogue = get(SpeedLimit::Epilogue);
    bound.products = std::max(bound.products, serial * products);
    bound.copies = busiest * work.stageBytes / get(SpeedLimit::CopyRate);
    double rows =
        std::max(work.ctas * work.meanIterations / places * work.outsideRows,
                 busiest * work.leastOutsideRows);
    bound.outside = rows * get(SpeedLimit::OutsideRow);
    bound.ring =
        serial * (get(SpeedLimit::CopyLatency) + products) / work.stages;
    constexpr double lineBytes = 128;
    double bytes = std::max(0.0, work.l2Bytes - work.neighbourBytes -
                                     work.outsideRows * lineBytes);
    bound.cache =
        work.ctas * work.meanIterations * bytes / get(SpeedLimit::CacheRate);
  }
  return bound;
}

double TimeBound::getMain() const {
  return std::max(
      {firstCopy + std::max({products, copies, cache, memory}), outside, ring});
}

TimeBound computeTimeBound(const SpeedLimits &limits,
                           const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem) {
  return BoundModel(limits, config, chip, problem).compute();
}

} // namespace tcgemm
