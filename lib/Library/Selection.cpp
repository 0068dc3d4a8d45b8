//===- Selection.cpp - Configurations for products ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "Failure.h"
#include "Log.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstdlib>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;

Expected<Mode> library::readMode() {
  const char *variable = std::getenv("TCGEMM_MODE");
  llvm::StringRef text = variable && *variable ? variable : "cache";
  for (auto [name, mode] :
       {std::pair("off", Mode::Off), std::pair("cache", Mode::Cache),
        std::pair("tune", Mode::Tune)})
    if (text == name)
      return mode;
  return fail(TCGEMM_INVALID_VALUE, "TCGEMM_MODE is '" + text +
                                        "', but it must be off, cache or tune");
}

Expected<Selection::Sources> Selection::read() const {
  const char *variable = std::getenv("TCGEMM_RECORDS");
  llvm::StringRef option = variable ? variable : "";
  Sources result;
  ConfigProviders &all = result.providers;
  all = createConfigProviders(option);
  if (option != "none") {
    // In the order of precedence. The last one are the shipped records.
    std::vector<std::string> paths;
    if (!option.empty())
      paths.push_back(option.str());
    if (!database.empty() && llvm::sys::fs::exists(database)) {
      // A damaged database must not stop products.
      if (Error error = readRecords(database).takeError())
        log("error: " + llvm::toString(std::move(error)));
      else
        paths.push_back(database);
    }
    paths.push_back("");
    result.records = std::make_shared<RecordProvider>(std::move(paths));
    all.front() = result.records;
  }
  all.push_back(std::make_shared<DefaultConfigProvider>());
  for (const std::shared_ptr<ConfigProvider> &provider : all) {
    if (Error error = provider->prepare())
      return withStatus(TCGEMM_FILE, std::move(error));
    for (const std::string &note : provider->takeNotes())
      log(note);
  }
  return std::move(result);
}

Error Selection::prepare() {
  if (!sources.providers.empty())
    return Error::success();
  Expected<Sources> first = read();
  if (!first)
    return first.takeError();
  sources = std::move(*first);
  return Error::success();
}

/// Reads without the lock, so that choices do not wait.
void Selection::reread() {
  Expected<Sources> next = read();
  if (!next)
    return log("error: " + llvm::toString(next.takeError()));
  std::lock_guard<std::mutex> lock(mutex);
  sources = std::move(*next);
  cache.clear();
}

ConfigRequest Selection::makeRequest(TuningProblem problem,
                                     const std::string &config) const {
  // Models divide by sizes, and a size of 0 needs no tuning.
  for (int64_t *size : {&problem.sizes.m, &problem.sizes.n, &problem.sizes.k,
                        &problem.sizes.batch})
    *size = std::max<int64_t>(*size, 1);
  return {chip, problem.getInfo(), /*kernel=*/"", config};
}

bool Selection::isTuned(const TuningProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = prepare()) {
    log("error: " + llvm::toString(std::move(error)));
    return false;
  }
  return sources.records && sources.records->hasExact(makeRequest(problem, ""));
}

bool Selection::isInDatabase(const TuningProblem &problem) const {
  if (!llvm::sys::fs::exists(database))
    return false;
  RecordProvider records(std::vector<std::string>{database});
  if (Error error = records.prepare()) {
    log("error: " + llvm::toString(std::move(error)));
    return false;
  }
  return records.hasExact(makeRequest(problem, ""));
}

Expected<ChosenConfig> Selection::choose(const Description &description) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = prepare())
    return std::move(error);
  ConfigRequest request = makeRequest(description.problem, description.config);
  if (!description.epilogueBody.empty())
    request.problem.plainEpilogue = false;
  // Kernels that read beta themselves read C for all its values.
  if (description.scalarsInMemory)
    request.problem.hasBeta = false;
  Expected<std::shared_ptr<const ChosenConfig>> found =
      cache.choose(sources.providers, request);
  if (!found)
    return withStatus(TCGEMM_INVALID_VALUE, found.takeError());
  ChosenConfig chosen = **found;
  const KernelConfig &config = chosen.config;
  if (Error error = checkConfig(config, chip, request.problem))
    return withStatus(description.config.empty() ? TCGEMM_NOT_SUPPORTED
                                                 : TCGEMM_INVALID_VALUE,
                      std::move(error));
  if (description.dependentLaunch) {
    KernelConfig dependent = config;
    dependent.dependentLaunch = true;
    // Neither all chips nor all schedules have such launches.
    if (Error error = checkConfig(dependent, chip, request.problem))
      llvm::consumeError(std::move(error));
    else
      chosen.config = dependent;
  }
  if (isLogging())
    log(description.problem.str() + ": " + config.str() + ", by " +
        chosen.source);
  return std::move(chosen);
}
