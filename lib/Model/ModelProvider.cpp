//===- ModelProvider.cpp - Configurations from a fitted model -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ModelProvider.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Model/KernelModel.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Returns whether the constants, which were fitted to products of 16 bits,
/// describe the problem's kernels.
bool isDescribed(const ProblemInfo &problem) {
  return problem.hasElementBits(16) && problem.algebra.isDefault() &&
         !problem.isGrouped && !problem.splitsOperands() &&
         !problem.transforms(0) && !problem.transforms(1);
}

/// Returns whether the simulator describes the problem's kernels and the
/// constants do not: those of 8 bits and of tf32. The simulator refuses those
/// that it does not describe after all.
bool isSimulated(const ProblemInfo &problem) {
  return !problem.hasElementBits(16) &&
         problem.findInstruction(InstructionKind::Wgmma) &&
         problem.algebra.isDefault() && !problem.isGrouped &&
         !problem.splitsOperands() && !problem.convertsOperands() &&
         !problem.transforms(0) && !problem.transforms(1);
}

/// Returns whether a schedule that is preferred to those of the model was
/// measured to be the fastest for the problem.
bool hasMeasuredDefault(const ConfigRequest &request,
                        const ProblemInfo &sized) {
  return any_of(getFamiliesByPreference(), [&](const ScheduleFamily *family) {
    return family->hasMeasuredDefault() && takesFeatures(*family, sized) &&
           family->proposeDefault(request, sized);
  });
}

/// The candidates of a schedule with the user's parameters.
std::vector<KernelConfig> listFixed(const ScheduleFamily &family,
                                    const ConfigRequest &request,
                                    const ProblemInfo &sized) {
  std::vector<KernelConfig> candidates =
      family.listCandidates(request.chip, sized);
  if (request.overrides.empty())
    return candidates;
  erase_if(candidates, [&](KernelConfig &config) {
    Error failure = config.apply(request.overrides);
    bool failed = static_cast<bool>(failure);
    consumeError(std::move(failure));
    return failed || !isComputable(config);
  });
  return candidates;
}

/// The legal candidate of the least time in nanoseconds.
std::optional<ModelChoice> chooseFastest(
    const ConfigRequest &request, const ProblemInfo &sized,
    function_ref<std::optional<double>(const KernelConfig &)> getTime) {
  if (hasMeasuredDefault(request, sized))
    return std::nullopt;
  std::vector<KernelConfig> configs;
  for (const ScheduleFamily *family : getFittedFamilies())
    if (takesFeatures(*family, sized))
      llvm::append_range(configs, listFixed(*family, request, sized));
  // The first of equal times wins, so that the choice is the same everywhere.
  std::vector<std::pair<double, size_t>> ranked;
  for (auto [i, config] : enumerate(configs))
    if (std::optional<double> nanoseconds = getTime(config))
      ranked.emplace_back(*nanoseconds, i);
  llvm::sort(ranked);
  for (auto [nanoseconds, i] : ranked)
    if (findViolations(configs[i], request.chip, sized).empty())
      return ModelChoice{configs[i], nanoseconds / 1000};
  return std::nullopt;
}

bool hasSizes(const ProblemInfo &problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
}

/// Reads the values of all chips, unless that was done.
template <typename T, typename Read>
Error readOnce(StringMap<T> &values, const Read &read) {
  if (!values.empty())
    return Error::success();
  Expected<StringMap<T>> all = read();
  if (!all)
    return all.takeError();
  values = std::move(*all);
  return Error::success();
}

/// The choice by the value of the request's chip; none for unknown sizes.
template <typename T, typename Choose>
std::optional<KernelConfig> chooseForChip(const StringMap<T> &values,
                                          const ConfigRequest &request,
                                          Choose choose) {
  auto found = values.find(request.chip.name);
  if (found == values.end() || !hasSizes(request.problem))
    return std::nullopt;
  if (std::optional<ModelChoice> choice =
          choose(found->second, request, request.problem))
    return choice->config;
  return std::nullopt;
}

} // namespace

std::optional<ModelChoice> chooseByModel(const ModelConstants &constants,
                                         const ConfigRequest &request,
                                         const ProblemInfo &sized) {
  if (!isDescribed(sized))
    return std::nullopt;
  auto getTime = [&](const KernelConfig &config) -> std::optional<double> {
    // An override may have changed the schedule.
    const ScheduleConstants *own = constants.find(config.schedule);
    if (!own)
      return std::nullopt;
    return estimateTime(describeWork(config, request.chip, sized), *own);
  };
  return chooseFastest(request, sized, getTime);
}

std::optional<ModelChoice> chooseBySimulator(const Machine &machine,
                                             const ConfigRequest &request,
                                             const ProblemInfo &sized) {
  if (!isSimulated(sized))
    return std::nullopt;
  auto getTime = [&](const KernelConfig &config) -> std::optional<double> {
    constexpr double perPicosecond = 1e-3;
    Expected<KernelPrediction> prediction =
        predictKernel(machine, request.chip, config, sized);
    // Schedules that need no packed operands are not simulated, so that they
    // cannot be compared with those that do.
    if (prediction && prediction->packing > 0)
      return std::nullopt;
    if (prediction)
      return double(prediction->getTotal()) * perPicosecond;
    consumeError(prediction.takeError());
    return std::nullopt;
  };
  return chooseFastest(request, sized, getTime);
}

Error ModelProvider::prepare() { return readOnce(constants, read); }

std::optional<KernelConfig>
ModelProvider::lookup(const ConfigRequest &request) {
  return chooseForChip(constants, request, chooseByModel);
}

Error SimulatorProvider::prepare() { return readOnce(machines, read); }

std::optional<KernelConfig>
SimulatorProvider::lookup(const ConfigRequest &request) {
  return chooseForChip(machines, request, chooseBySimulator);
}

} // namespace tcgemm
