//===- CommandTune.cpp - tcgemm-tune tune ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandWork.h"
#include "Flags.h"
#include "PruneInputs.h"
#include "Screen.h"
#include "TuneInputs.h"
#include "tcgemm/Runtime/Device.h"
#include "llvm/ADT/StringSet.h"

#include <csignal>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

/// The only global variable of the tool, for the signal handler.
static std::atomic<bool> interrupted{false};

const std::atomic<bool> &tcgemm::catchInterrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

/// The width of the terminal of stderr.
static unsigned getTerminalColumns() {
  constexpr unsigned usual = 80;
  winsize size{};
  bool isKnown =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : usual;
}

/// The devices of the flags, each with its engine.
static Expected<std::vector<DeviceEngine>>
createEvaluators(Store &store, EngineOptions &options,
                 llvm::ArrayRef<std::string> devices, bool compileOnly) {
  options.interrupted = &interrupted;
  if (devices.size() > 1 && !compileOnly)
    return createEngines(store, options, devices);
  options.device = devices.front();
  std::vector<DeviceEngine> engines;
  Expected<std::unique_ptr<Evaluator>> engine =
      compileOnly ? createCompileEngine(store, options)
                  : createEngine(store, options);
  if (!engine)
    return engine.takeError();
  engines.push_back({options.device, std::move(*engine), ""});
  return std::move(engines);
}

/// Drops the devices that cannot be opened, with a warning. Errors: all of
/// them.
static Error dropFailures(std::vector<DeviceEngine> &engines) {
  std::string failure;
  for (const DeviceEngine &engine : engines)
    if (!engine.engine) {
      failure = engine.failure;
      llvm::errs() << "tcgemm-tune: warning: " << engine.device
                   << " is not used: " << failure << '\n';
    }
  llvm::erase_if(engines, [](const auto &engine) { return !engine.engine; });
  return engines.empty() ? llvm::createStringError(failure) : Error::success();
}

/// A device of the run with what it needs.
struct TuneDevice {
  TuningLane lane;
  SpacesByName spaces;
  std::unique_ptr<TuningObserver> screen;
};

std::unique_ptr<TuningObserver>
tcgemm::createScreen(const Flags &flags, const std::string &device,
                     const std::shared_ptr<RunProgress> &run) {
  if (flags.output.format == OutputStyle::JSONLines)
    return std::make_unique<JSONScreen>(llvm::outs(), device);
  std::function<unsigned()> columns;
  if (isatty(STDERR_FILENO) && device.empty())
    columns = getTerminalColumns;
  return std::make_unique<TextScreen>(llvm::outs(), llvm::errs(), columns,
                                      device, run);
}

/// Each model of a device tunes all problems.
static uint64_t countProblems(const TuneInputs &inputs,
                              llvm::ArrayRef<DeviceEngine> engines) {
  std::vector<const Platform *> models;
  for (const DeviceEngine &engine : engines) {
    const Platform &platform = engine.engine->getPlatform();
    if (llvm::none_of(
            models, [&](const Platform *other) { return *other == platform; }))
      models.push_back(&platform);
  }
  return models.size() * inputs.problems.size();
}

static Expected<std::vector<std::unique_ptr<TuneDevice>>>
prepareDevices(const Flags &flags, const TuneInputs &inputs,
               llvm::ArrayRef<DeviceEngine> engines) {
  std::vector<std::unique_ptr<TuneDevice>> devices;
  // Several progress bars do not fit one line of a terminal.
  std::shared_ptr<RunProgress> run;
  if (engines.size() > 1 && isatty(STDERR_FILENO))
    run = std::make_shared<RunProgress>(llvm::errs(), getTerminalColumns,
                                        countProblems(inputs, engines));
  for (const DeviceEngine &engine : engines) {
    TuneDevice &device = *devices.emplace_back(std::make_unique<TuneDevice>());
    Expected<const ChipInfo &> chip =
        lookupChip(engine.engine->getPlatform().chip);
    if (!chip)
      return chip.takeError();
    Expected<SpacesByName> spaces = readSpacesByName(flags, inputs, *chip);
    if (!spaces)
      return spaces.takeError();
    device.spaces = std::move(*spaces);
    device.screen =
        createScreen(flags, engines.size() > 1 ? engine.device : "", run);
    auto getSpaces = [&flags, &inputs, &device,
                      &chip = *chip](const TuningProblem &problem) {
      return findSpaces(device.spaces, flags, inputs, chip, problem);
    };
    device.lane = {engine.device, engine.engine.get(), &*chip, getSpaces,
                   device.screen.get()};
    if (Error error = checkLimits(inputs.options.prune, *chip))
      return std::move(error);
  }
  return std::move(devices);
}

/// Searches and prints, and returns the exit code.
static int search(const Flags &flags, TuneInputs &inputs,
                  llvm::ArrayRef<DeviceEngine> engines) {
  Expected<std::vector<std::unique_ptr<TuneDevice>>> devices =
      prepareDevices(flags, inputs, engines);
  if (!devices)
    return fail(devices.takeError(), kExitBadInput);
  catchInterrupts();
  inputs.options.interrupted = &interrupted;
  std::vector<TuningLane> lanes;
  llvm::StringSet<> models;
  for (const std::unique_ptr<TuneDevice> &device : *devices) {
    const TuningLane &lane = device->lane;
    const std::string &model = lane.evaluator->getPlatform().device;
    if (inputs.options.prune.mode != PruneMode::None &&
        models.insert(model).second)
      printPruneNotes(inputs.options.prune, *lane.chip, model, inputs.problems);
    lanes.push_back(lane);
  }
  Expected<std::vector<TuningResult>> results =
      tuneOnDevices(inputs.problems, lanes, inputs.options);
  if (!results)
    return fail(results.takeError(), kExitRunFailed);
  if (interrupted) {
    llvm::errs() << "tcgemm-tune: interrupted; the same command continues from "
                    "here\n";
    return kExitInterrupted;
  }
  for (const TuningResult &result : *results)
    if (result.outcomes[unsigned(Outcome::Success)] == 0)
      return kExitNoConfig;
  return kExitSuccess;
}

int tcgemm::runTune(const Flags &flags) {
  if (flags.search.listStrategies) {
    for (const StrategyInfo &info : getStrategies())
      llvm::outs() << info.name << ": " << info.description << '\n';
    return kExitSuccess;
  }
  Expected<TuneInputs> inputs = readInputs(flags);
  if (!inputs)
    return fail(inputs.takeError(), kExitBadInput);
  if (!flags.cluster.work.empty()) {
    catchInterrupts();
    return runWorkTask(flags, *inputs, interrupted);
  }
  if (flags.cluster.launcher != "none")
    return fail(llvm::createStringError("--launcher=" + flags.cluster.launcher +
                                        " needs --work=DIR, a folder that all "
                                        "nodes see"),
                kExitBadInput);
  Expected<std::vector<std::string>> devices =
      expandDevices(inputs->engine.device);
  if (!devices) {
    Error error = devices.takeError();
    bool isMissing = error.isA<DeviceError>();
    return fail(std::move(error), isMissing ? kExitNoDevice : kExitBadInput);
  }
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.output.database, Store::Mode::ReadWrite);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  Expected<std::vector<DeviceEngine>> engines = createEvaluators(
      **store, inputs->engine, *devices, flags.device.compileOnly);
  if (!engines)
    return fail(engines.takeError(), kExitNoDevice);
  if (Error error = dropFailures(*engines))
    return fail(std::move(error), kExitNoDevice);
  if (engines->size() > 1 && inputs->options.strategyOptions.protocol)
    return fail(llvm::createStringError(
                    "--device=" + flags.device.device +
                    ": a strategy file uses one device, because its steps "
                    "depend on the results of earlier problems"),
                kExitBadInput);
  bool isEmulated = engines->front().engine->getPlatform().isEmulated();
  if (isEmulated)
    llvm::errs() << "tcgemm-tune: note: the emulator checks kernels; times are "
                    "a model's, not measured\n";
  if (isEmulated && !flags.device.ptxas.empty())
    llvm::errs() << "tcgemm-tune: note: --ptxas is not used: the emulator "
                    "executes PTX\n";
  return search(flags, *inputs, *engines);
}
