//===- ConfigProvider.cpp - Configurations without tuning -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ConfigProvider.h"
#include "Common/Counts.h"

#include "tcgemm/Config/ChooseConfig.h"
#include "tcgemm/Config/ScheduleFamily.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

ConfigProvider::~ConfigProvider() = default;

static ConfigProviderFactory &configProviderFactory() {
  static ConfigProviderFactory factory;
  return factory;
}

void setConfigProviderFactory(ConfigProviderFactory factory) {
  configProviderFactory() = std::move(factory);
}

const ConfigProviderFactory &getConfigProviderFactory() {
  return configProviderFactory();
}

/// The problem with typical sizes where they are not known.
static ProblemInfo assumeSizes(ProblemInfo problem) {
  for (int64_t *size : {&problem.m, &problem.n, &problem.k})
    if (*size < 0)
      *size = 4096;
    else if (*size == 0)
      *size = 1;
  problem.batch = std::max<int64_t>(1, problem.batch);
  return takeGroup(problem);
}

double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                    const ProblemInfo &problem) {
  return getFamily(config.schedule)
      .estimateTime(config, chip, takeGroup(problem));
}

Expected<ChosenConfig> chooseConfig(const ConfigProviders &providers,
                                    const ConfigRequest &request) {
  ChosenConfig chosen{{}, "built-in values"};
  chosen.config.schedule = findFamily(request.problem).getSchedule();
  for (const std::shared_ptr<ConfigProvider> &provider : providers)
    if (std::optional<KernelConfig> answer = provider->lookup(request)) {
      chosen = {*answer, provider->getName().str()};
      break;
    }
  if (Error error = chosen.config.apply(request.overrides))
    return std::move(error);
  return chosen;
}

std::optional<KernelConfig>
DefaultConfigProvider::lookup(const ConfigRequest &request) {
  ProblemInfo sized = assumeSizes(request.problem);
  for (const ScheduleFamily *family : getFamiliesByPreference())
    if (takesFeatures(*family, sized))
      if (std::optional<KernelConfig> config =
              family->proposeDefault(request, sized))
        return config;
  return std::nullopt;
}

} // namespace tcgemm
