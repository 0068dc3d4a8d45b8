//===- ChoiceModel.cpp - The model that chooses without records -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ChoiceModel.h"

#include "ModelTimes.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Model/ModelProvider.h"

using namespace llvm;

namespace tcgemm {

bool isFitted(const ProblemInfo &problem) {
  return problem.hasElementBits(16) && problem.algebra.isDefault() &&
         !problem.isGrouped && !problem.splitsOperands() &&
         !problem.transforms(0) && !problem.transforms(1);
}

bool isSimulated(const ProblemInfo &problem) {
  return !problem.hasElementBits(16) &&
         problem.findInstruction(InstructionKind::Wgmma) &&
         problem.algebra.isDefault() && !problem.isGrouped &&
         !problem.splitsOperands() && !problem.convertsOperands() &&
         !problem.transforms(0) && !problem.transforms(1);
}

std::optional<double> estimateFittedTime(const ModelConstants &constants,
                                         const ChipInfo &chip,
                                         const KernelConfig &config,
                                         const ProblemInfo &sized) {
  const ScheduleConstants *own = constants.find(config.schedule);
  if (!own)
    return std::nullopt;
  return estimateTime(describeWork(config, chip, sized), *own,
                      BoardLoad::Loaded);
}

std::optional<double> simulateTime(const Machine &machine, const ChipInfo &chip,
                                   const KernelConfig &config,
                                   const ProblemInfo &sized) {
  constexpr double perPicosecond = 1e-3;
  if (std::optional<Picoseconds> time =
          findKernelTime(machine, chip, config, sized))
    return static_cast<double>(*time) * perPicosecond;
  return std::nullopt;
}

std::optional<KernelConfig> findMeasuredDefault(const ConfigRequest &request,
                                                const ProblemInfo &sized) {
  for (const ScheduleFamily *family : getFamiliesByPreference())
    if (family->hasMeasuredDefault() && takesFeatures(*family, sized))
      if (std::optional<KernelConfig> config =
              family->proposeDefault(request, sized))
        return config;
  return std::nullopt;
}

ChoiceModel::ChoiceModel(const ChipInfo &chip, const ChipSpeeds &speeds,
                         const ProblemInfo &problem)
    : chip(chip), speeds(speeds) {
  if (speeds.constants && isFitted(problem))
    kind = Kind::Fitted;
  else if (speeds.machine && isSimulated(problem))
    kind = Kind::Simulator;
}

StringRef ChoiceModel::getName() const {
  switch (kind) {
  case Kind::Fitted:
    return ModelProvider::kName;
  case Kind::Simulator:
    return SimulatorProvider::kName;
  case Kind::Default:
    return "default model";
  }
  llvm_unreachable("unknown kind");
}

std::optional<KernelConfig>
ChoiceModel::findMeasured(const ProblemInfo &sized) const {
  return findMeasuredDefault({chip, sized, "", ""}, sized);
}

std::vector<KernelConfig>
ChoiceModel::listCandidates(const ProblemInfo &sized) const {
  std::vector<KernelConfig> candidates;
  if (kind == Kind::Default) {
    if (std::optional<KernelConfig> config =
            DefaultConfigProvider().lookup({chip, sized, "", ""}))
      candidates.push_back(*config);
    return candidates;
  }
  for (const ScheduleFamily *family : getFittedFamilies())
    if (takesFeatures(*family, sized))
      append_range(candidates, family->listCandidates(chip, sized));
  return candidates;
}

std::optional<double> ChoiceModel::estimate(const KernelConfig &config,
                                            const ProblemInfo &sized) const {
  constexpr double perMicrosecond = 1000;
  std::optional<double> nanoseconds;
  switch (kind) {
  case Kind::Fitted:
    nanoseconds = estimateFittedTime(*speeds.constants, chip, config, sized);
    break;
  case Kind::Simulator:
    nanoseconds = simulateTime(*speeds.machine, chip, config, sized);
    break;
  case Kind::Default:
    return estimateTime(config, chip, sized);
  }
  if (!nanoseconds)
    return std::nullopt;
  return *nanoseconds / perMicrosecond;
}

bool ChoiceModel::isComparable(Schedule a, Schedule b) const {
  return kind != Kind::Default || a == b;
}

} // namespace tcgemm
