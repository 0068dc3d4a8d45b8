//===- Handle.cpp - Handles and plans -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "Failure.h"

#include "llvm/ADT/Hashing.h"

#include <cstdlib>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

size_t GemmKeyHash::operator()(const GemmKey &key) const {
  return llvm::hash_combine(key.m, key.n, key.k, key.lda, key.ldb, key.ldc,
                            key.words);
}

tcgemmStatus Plan::run(const RunValues &values, cuda::Stream stream) const {
  if (scaling == TCGEMM_UNSCALED && values.alpha != 1)
    return failNow(TCGEMM_INVALID_VALUE,
                   "alpha is not 1, but the plan's scaling is TCGEMM_UNSCALED");
  if (scaling != TCGEMM_ALPHA_BETA && values.beta != 0)
    return failNow(
        TCGEMM_INVALID_VALUE,
        "beta is not 0, but the plan's scaling is not TCGEMM_ALPHA_BETA");
  return program ? program->run(values, stream) : TCGEMM_SUCCESS;
}

Expected<std::unique_ptr<Handle>> Handle::open(int ordinal) {
  Expected<std::shared_ptr<DeviceContext>> device =
      DeviceContext::open(ordinal);
  if (!device)
    return device.takeError();
  return std::unique_ptr<Handle>(new Handle(std::move(*device)));
}

Expected<KernelConfig> Handle::choose(const Description &description) {
  std::string key = description.problem.str() + " " + description.config;
  {
    std::lock_guard<std::mutex> lock(configMutex);
    if (auto found = configs.find(key); found != configs.end())
      return found->second;
  }
  Expected<KernelConfig> config = selection.choose(description);
  if (!config)
    return config;
  std::lock_guard<std::mutex> lock(configMutex);
  return configs.emplace(std::move(key), *config).first->second;
}

/// Whether the driver compiles the PTX: where there is no ptxas, or no GPU.
static bool usesPTX() {
  const char *variable = std::getenv("TCGEMM_PTX");
  return variable && std::strcmp(variable, "1") == 0;
}

Expected<std::unique_ptr<Plan>> Handle::plan(const tcgemmMatmulDesc &desc) {
  Expected<Description> description = readDescriptor(desc);
  if (!description)
    return description.takeError();
  auto plan = std::make_unique<Plan>();
  plan->alpha = description->alpha;
  plan->beta = description->beta;
  plan->scaling = desc.scaling;
  if (description->isEmpty())
    return plan;
  Expected<KernelConfig> config = choose(*description);
  if (!config)
    return config.takeError();
  CurrentContext current(*device);
  if (Error error =
          device->getDriver().check(current.getResult(), "cuCtxPushCurrent"))
    return std::move(error);
  plan->config = config->str();
  Expected<std::shared_ptr<LoadedPack>> pack =
      kernels.get({description->problem.getSource(),
                   device->getChip().name.str(), plan->config, usesPTX()});
  if (!pack)
    return pack.takeError();
  Expected<LaunchProgram> program =
      LaunchProgram::create(std::move(*pack), *description);
  if (!program)
    return program.takeError();
  plan->program = std::move(*program);
  return plan;
}

const Plan *Handle::findPlan(const GemmKey &key) const {
  std::shared_lock<std::shared_mutex> lock(gemmMutex);
  auto found = gemms.find(key);
  return found == gemms.end() ? nullptr : found->second.get();
}

Expected<const Plan *> Handle::getPlan(const GemmKey &key,
                                       const tcgemmMatmulDesc &desc) {
  Expected<std::unique_ptr<Plan>> made = plan(desc);
  if (!made)
    return made.takeError();
  std::lock_guard<std::shared_mutex> lock(gemmMutex);
  // Another thread may have made it; its plan may be in use.
  return gemms.emplace(key, std::move(*made)).first->second.get();
}

tcgemmStatus Handle::runWithOwnWorkspace(const Plan &plan, RunValues &values,
                                         cuda::Stream stream) const {
  values.workspaceBytes = plan.getWorkspaceBytes();
  if (values.workspaceBytes == 0)
    return plan.run(values, stream);
  const Driver &driver = device->getDriver();
  CurrentContext current(*device);
  if (!driver.cuMemAllocAsync || !driver.cuMemFreeAsync)
    return failNow(TCGEMM_NOT_SUPPORTED,
                   "the driver has no memory pools for workspaces; use "
                   "tcgemmPlan and tcgemmRun");
  cuda::DevicePointer workspace = 0;
  if (cuda::Result result =
          driver.cuMemAllocAsync(&workspace, values.workspaceBytes, stream))
    return failNow(TCGEMM_DRIVER,
                   "cuMemAllocAsync: " + driver.describe(result));
  values.workspace = workspace;
  tcgemmStatus status = plan.run(values, stream);
  cuda::Result result = driver.cuMemFreeAsync(workspace, stream);
  if (status || !result)
    return status;
  return failNow(TCGEMM_DRIVER, "cuMemFreeAsync: " + driver.describe(result));
}
