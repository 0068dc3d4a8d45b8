//===- Selection.cpp - Configurations for products ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "Failure.h"
#include "Log.h"
#include "tcgemm/Config/ChooseConfig.h"
#include "tcgemm/Store/RecordProvider.h"

#include <algorithm>
#include <cstdlib>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

Error Selection::prepare() {
  if (!providers.empty())
    return Error::success();
  const char *records = std::getenv("TCGEMM_RECORDS");
  ConfigProviders all = createConfigProviders(records ? records : "");
  all.push_back(std::make_shared<DefaultConfigProvider>());
  for (const std::shared_ptr<ConfigProvider> &provider : all) {
    if (Error error = provider->prepare())
      return withStatus(TCGEMM_FILE, std::move(error));
    for (const std::string &note : provider->takeNotes())
      log(note);
  }
  providers = std::move(all);
  return Error::success();
}

Expected<KernelConfig> Selection::choose(const Description &description) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = prepare())
    return std::move(error);
  TuningProblem problem = description.problem;
  // Models divide by sizes, and a size of 0 needs no tuning.
  for (int64_t *size : {&problem.sizes.m, &problem.sizes.n, &problem.sizes.k,
                        &problem.sizes.batch})
    *size = std::max<int64_t>(*size, 1);
  ConfigRequest request{chip, problem.getInfo(), /*kernel=*/"",
                        description.config};
  Expected<ChosenConfig> chosen = chooseConfig(providers, request);
  if (!chosen)
    return withStatus(TCGEMM_INVALID_VALUE, chosen.takeError());
  const KernelConfig &config = chosen->config;
  if (Error error = checkConfig(config, chip, request.problem))
    return withStatus(description.config.empty() ? TCGEMM_NOT_SUPPORTED
                                                 : TCGEMM_INVALID_VALUE,
                      std::move(error));
  if (isLogging())
    log(problem.str() + ": " + config.str() + ", by " + chosen->source);
  return config;
}
