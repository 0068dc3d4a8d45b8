//===- ModelProvider.cpp - Configurations from a fitted model -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ModelProvider.h"

#include "tcgemm/Config/ScheduleFamily.h"

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

} // namespace

std::optional<ModelChoice> chooseByModel(const ModelConstants &constants,
                                         const ConfigRequest &request,
                                         const ProblemInfo &sized) {
  if (!isDescribed(sized) || hasMeasuredDefault(request, sized))
    return std::nullopt;
  std::vector<KernelConfig> configs;
  for (const ScheduleFamily *family : getFittedFamilies())
    if (takesFeatures(*family, sized))
      llvm::append_range(configs, listFixed(*family, request, sized));
  // The first of equal times wins, so that the choice is the same everywhere.
  std::vector<std::pair<double, size_t>> ranked;
  for (auto [i, config] : enumerate(configs))
    // An override may have changed the schedule.
    if (const ScheduleConstants *own = constants.find(config.schedule))
      ranked.emplace_back(
          estimateTime(describeWork(config, request.chip, sized), *own), i);
  llvm::sort(ranked);
  for (auto [nanoseconds, i] : ranked)
    if (findViolations(configs[i], request.chip, sized).empty())
      return ModelChoice{configs[i], nanoseconds / 1000};
  return std::nullopt;
}

Error ModelProvider::prepare() {
  if (!constants.empty())
    return Error::success();
  Expected<StringMap<ModelConstants>> all = read();
  if (!all)
    return all.takeError();
  constants = std::move(*all);
  return Error::success();
}

std::optional<KernelConfig>
ModelProvider::lookup(const ConfigRequest &request) {
  const ProblemInfo &problem = request.problem;
  auto found = constants.find(request.chip.name);
  if (found == constants.end() || problem.m <= 0 || problem.n <= 0 ||
      problem.k <= 0 || problem.batch <= 0)
    return std::nullopt;
  if (std::optional<ModelChoice> choice =
          chooseByModel(found->second, request, problem))
    return choice->config;
  return std::nullopt;
}

} // namespace tcgemm
