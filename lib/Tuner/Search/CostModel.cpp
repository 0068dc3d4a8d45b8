//===- CostModel.cpp - What ranks candidates ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Config/ConfigProvider.h"

using namespace llvm;

namespace tcgemm {

CostModel getDefaultCostModel() {
  return [](const SearchSpace &space, const KernelConfig &config) {
    return estimateTime(config, space.getChip(), space.getProblem().getInfo());
  };
}

/// Times of schedules that the analytic model does not describe are the default
/// model's: a space has one schedule, so that they are not compared with
/// others.
CostModel createAnalyticModel(const ModelConstants &constants) {
  return [constants, other = getDefaultCostModel()](
             const SearchSpace &space, const KernelConfig &config) {
    const ScheduleConstants *own = constants.find(config.schedule);
    if (!own)
      return other(space, config);
    ProblemInfo problem = space.getProblem().getInfo();
    return estimateTime(describeWork(config, space.getChip(), problem), *own) /
           1000;
  };
}

/// The default model but for the chips that have shipped constants.
static Expected<CostModel> getShippedCostModel() {
  Expected<StringMap<ModelConstants>> all = readShippedConstants();
  if (!all)
    return all.takeError();
  StringMap<CostModel> models;
  for (const auto &entry : *all)
    models.try_emplace(entry.first(), createAnalyticModel(entry.second));
  return [models = std::move(models), other = getDefaultCostModel()](
             const SearchSpace &space, const KernelConfig &config) {
    auto known = models.find(space.getChip().name);
    return (known == models.end() ? other : known->second)(space, config);
  };
}

Expected<CostModel> readCostModel(StringRef name) {
  if (name == "default")
    return getDefaultCostModel();
  if (name == "none")
    return CostModel();
  if (name.empty())
    return getShippedCostModel();
  Expected<ModelConstants> constants = readModelConstants(name);
  if (!constants)
    return constants.takeError();
  return createAnalyticModel(*constants);
}

} // namespace tcgemm
