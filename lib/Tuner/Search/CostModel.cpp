//===- CostModel.cpp - What ranks candidates ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Store/ShippedMachines.h"

using namespace llvm;

namespace tcgemm {

CostModel createCostModel(TimeModel model) {
  if (!model)
    return CostModel();
  return [model = std::move(model)](const SearchSpace &space,
                                    const KernelConfig &config) {
    return model(config, space.getChip(), space.getProblem().getInfo());
  };
}

static TimeModel getDefaultTimeModel() {
  return [](const KernelConfig &config, const ChipInfo &chip,
            const ProblemInfo &problem) {
    return estimateTime(config, chip, problem);
  };
}

CostModel getDefaultCostModel() {
  return createCostModel(getDefaultTimeModel());
}

/// Times of schedules that the analytic model does not describe are the default
/// model's: a space has one schedule, so that they are not compared with
/// others.
static TimeModel createTimeModel(const ModelConstants &constants) {
  return [constants, other = getDefaultTimeModel()](
             const KernelConfig &config, const ChipInfo &chip,
             const ProblemInfo &problem) {
    const ScheduleConstants *own = constants.find(config.schedule);
    if (!own)
      return other(config, chip, problem);
    return estimateTime(describeWork(config, chip, problem), *own) / 1000;
  };
}

CostModel createAnalyticModel(const ModelConstants &constants) {
  return createCostModel(createTimeModel(constants));
}

/// A machine whose board has rested, as it does between the candidates of a
/// search.
static Expected<Machine> readRestedMachine(StringRef name) {
  Expected<Machine> machine = readMachine(name);
  if (!machine)
    return machine.takeError();
  return getRested(std::move(*machine));
}

/// The simulator with the speeds of a machine file. Kernels that it does not
/// describe have the default model's times.
static Expected<TimeModel> readSimulator(StringRef name) {
  Expected<Machine> machine = readRestedMachine(name);
  if (!machine)
    return machine.takeError();
  return [machine = std::move(*machine), other = getDefaultTimeModel()](
             const KernelConfig &config, const ChipInfo &chip,
             const ProblemInfo &problem) {
    constexpr double microPerPico = 1e-6;
    if (std::optional<Picoseconds> time =
            findKernelTime(machine, chip, config, problem))
      return static_cast<double>(*time) * microPerPico;
    return other(config, chip, problem);
  };
}

/// The default model but for the chips that have shipped constants.
static Expected<TimeModel> getShippedTimeModel() {
  Expected<StringMap<ModelConstants>> all = readShippedConstants();
  if (!all)
    return all.takeError();
  StringMap<TimeModel> models;
  for (const auto &entry : *all)
    models.try_emplace(entry.first(), createTimeModel(entry.second));
  return [models = std::move(models), other = getDefaultTimeModel()](
             const KernelConfig &config, const ChipInfo &chip,
             const ProblemInfo &problem) {
    auto known = models.find(chip.name);
    return (known == models.end() ? other : known->second)(config, chip,
                                                           problem);
  };
}

Expected<TimeModel> readTimeModel(StringRef name) {
  if (name == "default")
    return getDefaultTimeModel();
  if (name == "none")
    return TimeModel();
  if (name.empty())
    return getShippedTimeModel();
  if (name.ends_with(kMachineExtension))
    return readSimulator(name);
  Expected<ModelConstants> constants = readModelConstants(name);
  if (!constants)
    return constants.takeError();
  return createTimeModel(*constants);
}

Expected<ModelFeatures> readModelFeatures(StringRef name) {
  if (name == "default" || name == "none")
    return ModelFeatures();
  if (name.ends_with(kMachineExtension)) {
    Expected<Machine> machine = readRestedMachine(name);
    if (!machine)
      return machine.takeError();
    return [machine = std::move(*machine)](const SearchSpace &space,
                                           const KernelConfig &config) {
      // Measured speeds are known better than fitted constants.
      constexpr double relativeDeviation = 0.4;
      std::vector<double> all = getSensitivities(
          machine, space.getChip(), config, space.getProblem().getInfo());
      for (double &each : all)
        each *= relativeDeviation;
      return all;
    };
  }
  StringMap<ModelConstants> byChip;
  if (name.empty()) {
    Expected<StringMap<ModelConstants>> shipped = readShippedConstants();
    if (!shipped)
      return shipped.takeError();
    byChip = std::move(*shipped);
  } else {
    Expected<ModelConstants> constants = readModelConstants(name);
    if (!constants)
      return constants.takeError();
    byChip.try_emplace(constants->chip, *constants);
  }
  return [byChip = std::move(byChip)](const SearchSpace &space,
                                      const KernelConfig &config) {
    auto ofChip = byChip.find(space.getChip().name);
    const ScheduleConstants *own =
        ofChip == byChip.end() ? nullptr : ofChip->second.find(config.schedule);
    if (!own)
      return std::vector<double>(getConstantInfos().size(), 0);
    return getSensitivities(
        describeWork(config, space.getChip(), space.getProblem().getInfo()),
        *own);
  };
}

Expected<CostModel> readCostModel(StringRef name) {
  Expected<TimeModel> model = readTimeModel(name);
  if (!model)
    return model.takeError();
  return createCostModel(std::move(*model));
}

} // namespace tcgemm
