//===- Handle.cpp - Handles and plans -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "Failure.h"
#include "Log.h"
#include "tcgemm/Store/UserFolders.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>
#include <tuple>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

size_t GemmKeyHash::operator()(const tcgemmGemmKey &key) const {
  return llvm::hash_combine(key.m, key.n, key.k, key.lda, key.ldb, key.ldc,
                            key.words);
}

bool GemmKeyEqual::operator()(const tcgemmGemmKey &a,
                              const tcgemmGemmKey &b) const {
  auto tie = [](const tcgemmGemmKey &key) {
    return std::tie(key.m, key.n, key.k, key.lda, key.ldb, key.ldc, key.words);
  };
  return tie(a) == tie(b);
}

tcgemmStatus Plan::run(const PlanVersion *version, const RunValues &values,
                       cuda::Stream stream) const {
  if (tcgemmStatus status =
          tcgemmCheckScalars(description.scaling, description.scalarsInMemory,
                             values.scalars.data()))
    return status;
  return version ? version->program.run(values, stream) : TCGEMM_SUCCESS;
}

bool Plan::add(std::unique_ptr<PlanVersion> version) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t bytes = version->program.getWorkspaceBytes();
  if (versions.empty())
    workspaceBytes = bytes;
  else if (!ownsWorkspace && bytes > workspaceBytes)
    return false;
  versions.push_back(std::move(version));
  current.store(versions.back().get(), std::memory_order_release);
  return true;
}

/// The path of the user's database; empty without a folder, in mode `off`, and
/// if the user wants no records.
static std::string getDatabase(Mode mode) {
  const char *records = std::getenv("TCGEMM_RECORDS");
  bool isWanted =
      mode != Mode::Off && !(records && std::strcmp(records, "none") == 0);
  return isWanted ? getUserDatabase() : "";
}

BackgroundTuner::Callbacks Handle::makeCallbacks() {
  auto isTuned = [this](const TuningProblem &problem) {
    return selection.isInDatabase(problem);
  };
  auto finished = [this](const TuningProblem &problem, bool isTuned) {
    if (isTuned && selection.isInDatabase(problem)) {
      selection.reread();
      return replaceKernels(problem);
    }
    if (isTuned)
      log("no record of " + problem.str() + " has a measured time");
    std::lock_guard<std::mutex> lock(waitingMutex);
    waiting.erase(problem.str());
  };
  return {isTuned, finished};
}

Handle::Handle(const std::shared_ptr<DeviceContext> &device, Mode mode,
               const std::string &database)
    : device(device), database(database),
      selection(device->getChip(), database), kernels(device) {
  if (mode != Mode::Tune)
    return;
  if (database.empty()) {
    log("error: nothing is tuned, because TCGEMM_RECORDS is none, or neither "
        "XDG_DATA_HOME nor HOME names a folder");
    return;
  }
  tuner = std::make_unique<BackgroundTuner>(database, device->getOrdinal(),
                                            makeCallbacks());
}

Expected<std::unique_ptr<Handle>> Handle::open(int ordinal) {
  Expected<Mode> mode = readMode();
  if (!mode)
    return mode.takeError();
  Expected<std::shared_ptr<DeviceContext>> device =
      DeviceContext::open(ordinal);
  if (!device)
    return device.takeError();
  return std::unique_ptr<Handle>(
      new Handle(*device, *mode, getDatabase(*mode)));
}

Expected<ChosenConfig> Handle::choose(const Description &description) {
  std::string key = description.problem.str() +
                    (description.problem.kernel.isGrouped ? " groups " : " ") +
                    (description.epilogueBody.empty() ? "" : "body ") +
                    (description.scalarsInMemory ? "device " : "") +
                    (description.dependentLaunch ? "dependent " : "") +
                    description.config;
  unsigned generation = 0;
  {
    std::lock_guard<std::mutex> lock(configMutex);
    if (auto found = configs.find(key); found != configs.end())
      return found->second;
    generation = configGeneration;
  }
  Expected<ChosenConfig> config = selection.choose(description);
  if (!config)
    return config;
  std::lock_guard<std::mutex> lock(configMutex);
  // Records that were read meanwhile may know a better one.
  if (generation == configGeneration)
    configs.emplace(std::move(key), *config);
  return config;
}

/// Returns whether the driver compiles the PTX: where there is no ptxas, or no
/// GPU.
static bool usesPTX() {
  const char *variable = std::getenv("TCGEMM_PTX");
  return variable && std::strcmp(variable, "1") == 0;
}

static std::string explain(const Description &description,
                           const ChosenConfig &chosen,
                           const LaunchProgram &program) {
  return "product: " + description.problem.str() +
         "\nconfiguration: " + chosen.config.str() +
         "\nchosen by: " + chosen.source +
         "\nlaunches: " + llvm::join(program.getLaunches(), ", ") +
         "\nworkspace: " + std::to_string(program.getWorkspaceBytes()) +
         " bytes\n";
}

/// A kernel for a product that has elements.
Expected<std::unique_ptr<PlanVersion>>
Handle::makeVersion(const Description &description) {
  Expected<ChosenConfig> chosen = choose(description);
  if (!chosen)
    return chosen.takeError();
  CurrentContext current(*device);
  if (Error error =
          device->getDriver().check(current.getResult(), "cuCtxPushCurrent"))
    return std::move(error);
  std::string text = chosen->config.str();
  Expected<std::shared_ptr<LoadedPack>> pack = kernels.get(
      {description.getSource(), device->getChip().name.str(), text, usesPTX()});
  if (!pack)
    return pack.takeError();
  Expected<LaunchProgram> program =
      LaunchProgram::create(std::move(*pack), description, kernels.copies);
  if (!program)
    return program.takeError();
  return std::unique_ptr<PlanVersion>(
      new PlanVersion{std::move(text), explain(description, *chosen, *program),
                      std::move(*program)});
}

Expected<std::shared_ptr<Plan>> Handle::plan(Expected<Description> description,
                                             bool ownsWorkspace) {
  if (!description)
    return description.takeError();
  auto plan = std::make_shared<Plan>(std::move(*description),
                                     device->getContext(), ownsWorkspace);
  if (plan->description.isEmpty())
    return plan;
  Expected<std::unique_ptr<PlanVersion>> version =
      makeVersion(plan->description);
  if (!version)
    return version.takeError();
  plan->add(std::move(*version));
  if (tuner)
    tuneLater(plan);
  return plan;
}

/// The problem that is tuned for a product: kernels that multiply by alpha and
/// beta take the same configurations, and the tuner knows no factors.
static TuningProblem getTunedProblem(TuningProblem problem) {
  problem.kernel.hasAlpha = problem.kernel.hasBeta = false;
  return problem;
}

/// Fails if the product is not one that is tuned.
static Error checkTunable(const Description &description) {
  if (!description.config.empty())
    return fail(TCGEMM_INVALID_VALUE,
                "the descriptor has a config, so that nothing is to be tuned");
  if (description.isEmpty() || description.problem.sizes.k == 0)
    return fail(TCGEMM_NOT_SUPPORTED,
                "products without elements or terms are not tuned");
  return Error::success();
}

/// Has the product tuned, if its sizes are new and the user has fixed nothing.
void Handle::tuneLater(const std::shared_ptr<Plan> &plan) {
  if (Error error = checkTunable(plan->description))
    return llvm::consumeError(std::move(error));
  TuningProblem problem = getTunedProblem(plan->description.problem);
  if (selection.isTuned(problem))
    return;
  // What was finished before and has no record cannot be tuned.
  if (!tuner->add(problem))
    return;
  {
    std::lock_guard<std::mutex> lock(waitingMutex);
    std::vector<std::weak_ptr<Plan>> &plans = waiting[problem.str()];
    llvm::erase_if(
        plans, [](const std::weak_ptr<Plan> &each) { return each.expired(); });
    plans.push_back(plan);
  }
  // It may have been tuned meanwhile.
  if (selection.isTuned(problem))
    replaceKernels(problem);
}

/// Forgets choices that were made without new records.
void Handle::forgetConfigs() {
  std::lock_guard<std::mutex> lock(configMutex);
  configs.clear();
  ++configGeneration;
}

/// Gives a plan the kernel that is chosen now.
Error Handle::replaceKernel(Plan &plan) {
  std::string name = plan.description.problem.str();
  Expected<std::unique_ptr<PlanVersion>> version =
      makeVersion(plan.description);
  if (!version)
    return version.takeError();
  std::string config = (*version)->config;
  if (config == plan.getVersion()->config)
    log(llvm::Twine(name) + " keeps its kernel");
  else if (plan.add(std::move(*version)))
    log(llvm::Twine(name) + " gets the kernel " + config);
  else
    log(llvm::Twine(name) + " keeps its kernel, because the new one needs a "
                            "larger workspace; new plans get it");
  return Error::success();
}

/// Gives the plans of a tuned problem their new kernels.
void Handle::replaceKernels(const TuningProblem &tuned) {
  std::vector<std::weak_ptr<Plan>> plans;
  {
    std::lock_guard<std::mutex> lock(waitingMutex);
    plans.swap(waiting[tuned.str()]);
    waiting.erase(tuned.str());
  }
  forgetConfigs();
  for (const std::weak_ptr<Plan> &each : plans)
    if (std::shared_ptr<Plan> plan = each.lock())
      if (Error error = replaceKernel(*plan))
        log("error: no new kernel for " + plan->description.problem.str() +
            ": " + llvm::toString(std::move(error)));
}

Error Handle::tuneNow(Plan &plan) {
  if (plan.context != device->getContext())
    return fail(TCGEMM_INVALID_VALUE,
                "the plan is of another CUDA context than the handle");
  if (Error error = checkTunable(plan.description))
    return error;
  if (database.empty())
    return fail(TCGEMM_FILE,
                "there is no database to tune into: TCGEMM_MODE is off, "
                "TCGEMM_RECORDS is none, or neither XDG_DATA_HOME nor HOME "
                "names a folder");
  TuningProblem problem = getTunedProblem(plan.description.problem);
  BackgroundTuner now(database, device->getOrdinal(), makeCallbacks());
  if (Error error = now.tune(problem))
    return error;
  if (!selection.isInDatabase(problem))
    return fail(TCGEMM_TUNING,
                "no record of " + problem.str() + " has a measured time");
  selection.reread();
  forgetConfigs();
  return replaceKernel(plan);
}

const Plan *Handle::findPlan(const tcgemmGemmKey &key) const {
  std::shared_lock<std::shared_mutex> lock(gemmMutex);
  auto found = gemms.find(key);
  return found == gemms.end() ? nullptr : found->second.get();
}

Expected<const Plan *> Handle::getPlan(const tcgemmGemmKey &key,
                                       const tcgemmMatmulDesc &desc) {
  Expected<std::shared_ptr<Plan>> made =
      plan(readDescriptor(desc), /*ownsWorkspace=*/true);
  if (!made)
    return made.takeError();
  std::lock_guard<std::shared_mutex> lock(gemmMutex);
  // Another thread may have made it; its plan may be in use.
  return gemms.emplace(key, std::move(*made)).first->second.get();
}

tcgemmStatus Handle::runWithOwnWorkspace(const Plan &plan, RunValues &values,
                                         cuda::Stream stream) const {
  // The version may change until the plan runs.
  const PlanVersion *version = plan.getVersion();
  values.workspaceBytes = version ? version->program.getWorkspaceBytes() : 0;
  if (values.workspaceBytes == 0)
    return plan.run(version, values, stream);
  const Driver &driver = device->getDriver();
  CurrentContext current(*device);
  if (cuda::Result result = current.getResult())
    return failNow(TCGEMM_DRIVER,
                   "cuCtxPushCurrent: " + driver.describe(result));
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
  tcgemmStatus status = plan.run(version, values, stream);
  cuda::Result result = driver.cuMemFreeAsync(workspace, stream);
  if (status || !result)
    return status;
  return failNow(TCGEMM_DRIVER, "cuMemFreeAsync: " + driver.describe(result));
}
