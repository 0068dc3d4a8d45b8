//===- CostModel.cpp - Models that rank candidates ------------------------===//
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

CostModel createAnalyticModel(const ModelConstants &constants) {
  return [constants](const SearchSpace &space, const KernelConfig &config) {
    ModelFeatures features =
        getModelFeatures(config, space.getChip(), space.getProblem().getInfo());
    return estimateTime(features, constants.get(config.schedule)) / 1000;
  };
}

/// The default model estimates schedules that the analytic model does not
/// describe. A space has one schedule, so that estimates of the two models are
/// not compared.
static CostModel createModel(const ModelConstants &constants) {
  return [analytic = createAnalyticModel(constants),
          other = getDefaultCostModel()](const SearchSpace &space,
                                         const KernelConfig &config) {
    return ModelConstants::covers(config.schedule) ? analytic(space, config)
                                                   : other(space, config);
  };
}

/// The analytic model for chips with shipped constants, or else the default
/// model.
static Expected<CostModel> getShippedCostModel() {
  Expected<StringMap<ModelConstants>> all = readShippedConstants();
  if (!all)
    return all.takeError();
  StringMap<CostModel> models;
  for (const auto &entry : *all)
    models.try_emplace(entry.first(), createModel(entry.second));
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
  return createModel(*constants);
}

} // namespace tcgemm
