//===- RecordPrediction.cpp - Sizes without a record ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were chosen by cross-validation on the stored times of 86
// shapes, each of which was left out once
// (docs/experiments/predicted-records.md).
//
//===----------------------------------------------------------------------===//

#include "RecordPrediction.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Model/ModelProvider.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

/// The predicted speed-up that a configuration without a measurement needs.
constexpr double kUnproven = 1.05;
/// The increase of the distance for twice the slices of k, and for the removal
/// of clusters or of alternating warpgroups.
constexpr double kSliceDistance = 0.5, kOtherDistance = 1.0;
/// The maximum distance of a size, in doublings, without constants of the chip.
constexpr double kMaxDoublings = 2;

/// The absolute difference of the logarithms to the base 2.
double getDoublings(int64_t a, int64_t b) {
  return std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b));
}

std::array<double, 4> getDoublings(const ProblemInfo &a, const ProblemInfo &b) {
  return {getDoublings(a.m, b.m), getDoublings(a.n, b.n),
          getDoublings(a.k, b.k), getDoublings(a.batch, b.batch)};
}

/// Tiles along M and N.
std::pair<int64_t, int64_t> getTiles(const KernelConfig &config,
                                     const ProblemInfo &problem) {
  return {divideCeil(problem.m, config.cta[0]),
          divideCeil(problem.n, config.cta[1])};
}

/// The number of tiles of all products, saturated at the largest integer.
int64_t countTiles(const KernelConfig &config, const ProblemInfo &problem) {
  auto [m, n] = getTiles(config, problem);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  double count = static_cast<double>(problem.batch) * static_cast<double>(m) *
                 static_cast<double>(n);
  return count < static_cast<double>(most) ? static_cast<int64_t>(count) : most;
}

/// A configuration that was recorded for other sizes, with `slices` of k.
KernelConfig adapt(KernelConfig config, int64_t slices, const ChipInfo &chip,
                   const ProblemInfo &problem) {
  bool isSplit = slices != config.splitK;
  config.splitK = slices;
  return getFamily(config.schedule).adapt(config, isSplit, chip, problem);
}

} // namespace

bool hasSizes(const ProblemInfo &problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
}

double getDistance(const ProblemInfo &record, const ProblemInfo &asked) {
  // A layout affects the best tile more than a type does.
  constexpr double otherType = 0.25, otherLayout = 0.5;
  double sum = 0;
  for (double doublings : getDoublings(record, asked))
    sum += doublings * doublings;
  if (record.typeA != asked.typeA || record.typeB != asked.typeB)
    sum += otherType * otherType;
  for (bool differs : {record.aKContiguous != asked.aKContiguous,
                       record.bKContiguous != asked.bKContiguous})
    if (differs)
      sum += otherLayout * otherLayout;
  return std::sqrt(sum);
}

bool isUsable(KernelConfig config, const ConfigRequest &request,
              const ProblemInfo &asked) {
  if (Error error = config.apply(request.overrides)) {
    consumeError(std::move(error));
    return false;
  }
  return findViolations(config, request.chip, asked).empty();
}

/// Returns whether reductions need registers beside those of the sums. One
/// value for each row or for all takes few, if it is the sum itself or its
/// absolute value.
static bool needsRegisters(const NamedReductions &reductions) {
  return reductions.hasOther || reductions.list.size() > 1 ||
         any_of(reductions.list, [](const NamedReduction &reduction) {
           return reduction.axis == ReductionAxis::Column ||
                  reduction.getFunction() == ReducedFunction::Square ||
                  reduction.hasParts();
         });
}

bool hasRoomForEpilogue(const KernelConfig &config, const ProblemInfo &record,
                        const ProblemInfo &asked) {
  bool readsMore = asked.epilogueBytes > record.epilogueBytes;
  bool computesMore =
      (record.plainEpilogue && !asked.plainEpilogue) ||
      (needsRegisters(asked.reductions) && !needsRegisters(record.reductions));
  return getFamily(config.schedule)
      .hasRoomForEpilogue(config, readsMore, computesMore);
}

KernelConfig stageInputs(const KernelConfig &config,
                         const ConfigRequest &request,
                         const ProblemInfo &asked) {
  constexpr int64_t fewestStages = 3, mostFewer = 2;
  if (!getFamily(config.schedule).canStageInputs(config) ||
      asked.stageableInputs == 0)
    return config;
  KernelConfig staged = config;
  staged.wgmma.stageInputs = true;
  int64_t least = std::max(fewestStages, config.stages - mostFewer);
  // Pingpong kernels with one staging tile need more registers.
  for (int64_t buffers : {config.wgmma.epilogueBuffers, int64_t(1)})
    for (int64_t stages = config.stages; stages >= least; --stages) {
      staged.wgmma.epilogueBuffers = buffers;
      staged.stages = stages;
      if (isUsable(staged, request, asked))
        return staged;
    }
  return config;
}

RecordPrediction::RecordPrediction(const StringMap<ModelConstants> &constants,
                                   const ConfigRequest &request,
                                   const ProblemInfo &asked)
    : request(request), asked(asked) {
  // Kernels of f32 have only one schedule, which the model does not describe.
  // Its constants are of tensor cores for narrow types.
  auto found = constants.find(request.chip.name);
  if (found != constants.end() && asked.getBitsA() < 32)
    this->constants = &found->second;
}

/// The estimate in microseconds; none if the chip has no constants for the
/// schedule.
std::optional<double>
RecordPrediction::estimate(const KernelConfig &config,
                           const ProblemInfo &problem) const {
  if (!constants)
    return estimateTime(config, request.chip, problem);
  const ScheduleConstants *own = constants->find(config.schedule);
  if (!own)
    return std::nullopt;
  return estimateTime(describeWork(config, request.chip, problem), *own) / 1000;
}

/// Takes `choice` if it is usable and `factor` times its estimate is the least
/// so far.
void RecordPrediction::compare(const Choice &choice, double factor) {
  KernelConfig fixed = choice.config;
  if (Error error = fixed.apply(request.overrides)) {
    consumeError(std::move(error));
    return;
  }
  if (!isComputable(fixed))
    return;
  std::optional<double> time = estimate(fixed, asked);
  if (!time || (best && factor * *time >= bestTime) ||
      !findViolations(fixed, request.chip, asked).empty())
    return;
  best = choice;
  bestTime = factor * *time;
}

/// Returns whether the record's time includes a function of elements that is
/// not asked for. Functions that are asked for may have a record without them.
static bool hasOtherFunction(const ProblemInfo &tuned,
                             const ProblemInfo &asked) {
  return (tuned.transforms(0) && !asked.transforms(0)) ||
         (tuned.transforms(1) && !asked.transforms(1));
}

/// Returns whether the record's time includes, or lacks, what bands and
/// symmetric results leave out.
static bool hasOtherStructure(const ProblemInfo &tuned,
                              const ProblemInfo &asked) {
  return tuned.bands != asked.bands || tuned.isSymmetric != asked.isSymmetric;
}

void RecordPrediction::consider(const Record &record) {
  ProblemInfo tuned = record.problem.getInfo();
  const KernelConfig &config = record.config;
  if (record.platform.chip != request.chip.name ||
      tuned.getBitsA() != asked.getBitsA() ||
      tuned.getBitsB() != asked.getBitsB() ||
      tuned.splitsOperands() != asked.splitsOperands() ||
      tuned.algebra != asked.algebra || tuned.isGrouped != asked.isGrouped ||
      hasOtherFunction(tuned, asked) || hasOtherStructure(tuned, asked) ||
      !hasRoomForEpilogue(config, tuned, asked))
    return;
  auto isFar = [](double doublings) {
    return std::fabs(doublings) > kMaxDoublings;
  };
  if (!constants && any_of(getDoublings(tuned, asked), isFar))
    return;
  std::optional<double> estimated = estimate(config, tuned);
  if (!estimated)
    return;
  // The model's error for a near record also applies to this problem.
  double error = record.timing.median / *estimated;
  double distance = getDistance(tuned, asked);
  auto getFactor = [&](double more) {
    return std::pow(error, std::exp(-distance - more));
  };
  KernelConfig adapted = adapt(config, config.splitK, request.chip, asked);
  bool isOther = adapted.wgmma.cluster != config.wgmma.cluster ||
                 adapted.wgmma.pingpong != config.wgmma.pingpong;
  compare({adapted, &record, {}},
          isOther ? kUnproven * getFactor(kOtherDistance) : getFactor(0));
  // With rows that are not aligned to the L2 cache's lines, or with few tiles,
  // clusters may be faster although they were not for the record's sizes.
  for (const std::array<int64_t, 3> &cluster :
       getFamily(config.schedule).getClusters()) {
    KernelConfig other = config;
    other.wgmma.cluster = cluster;
    other = adapt(other, config.splitK, request.chip, asked);
    if (other.wgmma.cluster == cluster && cluster != adapted.wgmma.cluster)
      compare({other, &record, {}}, kUnproven * getFactor(kOtherDistance));
  }
  if (config.splitK != 1)
    return;
  // Like in the shipped spaces, slices have several tiles, and there are not
  // more slices than can be resident on the chip.
  for (int64_t slices : {2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    if (asked.k < 4 * slices * config.cta[2] ||
        slices * countTiles(config, asked) > 2 * request.chip.speed.numSMs)
      break;
    double more = kSliceDistance * std::log2(static_cast<double>(slices));
    compare({adapt(config, slices, request.chip, asked), &record, {}},
            kUnproven * getFactor(more));
  }
}

void RecordPrediction::considerOthers() {
  // The default model's choice is always the fastest by its own estimate.
  if (!constants)
    return;
  ConfigRequest sized{request.chip, asked, request.kernel, request.overrides};
  if (std::optional<ModelChoice> choice =
          chooseByModel(*constants, sized, asked))
    return compare({choice->config, nullptr, ModelProvider::kName}, kUnproven);
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup(sized);
  if (!config)
    return;
  Choice choice{*config, nullptr, provider.getName()};
  if (getFamily(config->schedule).hasMeasuredDefault())
    best = choice;
  else
    compare(choice, kUnproven);
}

} // namespace tcgemm
