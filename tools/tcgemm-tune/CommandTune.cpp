//===- CommandTune.cpp - tcgemm-tune tune ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Screen.h"
#include "tcgemm/Tuner/Protocol.h"

#include <csignal>
#include <map>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace tcgemm;
using llvm::Expected;

/// The only global variable of the tool, for the signal handler.
static std::atomic<bool> interrupted{false};

/// The first interrupt ends the run in order, a second one at once.
static void catchInterrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

/// The width of the terminal of stderr.
static unsigned getTerminalColumns() {
  constexpr unsigned usual = 80;
  winsize size{};
  bool isKnown =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : usual;
}

static Expected<std::unique_ptr<Evaluator>>
createEvaluator(Store &store, EngineOptions &options, bool compileOnly) {
  options.interrupted = &interrupted;
  return compileOnly ? createCompileEngine(store, options)
                     : createEngine(store, options);
}

/// The problems of a run with a protocol, which has default problems.
static Expected<std::vector<TuningProblem>>
readProtocolProblems(const Flags &flags, const Protocol &protocol,
                     const std::vector<TuningProblem> &given) {
  Expected<KernelSpec> kernel = flags.problem.readKernel();
  if (!kernel)
    return kernel.takeError();
  Expected<std::vector<TuningProblem>> problems =
      orderProblems(protocol, given, *kernel);
  if (problems && problems->empty())
    return llvm::createStringError("nothing to tune: protocol '" +
                                   protocol.getName() +
                                   "' has no sizes of its own");
  return problems;
}

namespace {
/// The parts of a run that the flags say.
struct TuneInputs {
  TunerOptions options;
  std::vector<TuningProblem> problems;
  EngineOptions engine;
};
/// The spaces of the problems, by their names.
using SpacesByName = std::map<std::vector<std::string>, std::vector<Space>>;
} // namespace

/// Finds everything that can be wrong without a device.
static Expected<TuneInputs> readInputs(const Flags &flags) {
  Expected<TunerOptions> options = readTunerOptions(flags);
  if (!options)
    return options.takeError();
  bool hasProtocol = options->strategyOptions.protocol != nullptr;
  Expected<std::vector<TuningProblem>> problems =
      readProblems(flags, /*mayBeNone=*/hasProtocol);
  if (!problems)
    return problems.takeError();
  Expected<EngineOptions> engine = readEngineOptions(flags);
  if (!engine)
    return engine.takeError();
  if (flags.device.compileOnly && engine->chip.empty())
    return llvm::createStringError("--compile-only needs --chip");
  for (const std::string &name : flags.space.spaceNames)
    if (Expected<Space> space = readSpace(name); !space)
      return space.takeError();
  if (hasProtocol) {
    const Protocol &protocol = options->strategyOptions.protocol->protocol;
    problems = readProtocolProblems(flags, protocol, *problems);
    if (!problems)
      return problems.takeError();
  }
  return TuneInputs{std::move(*options), std::move(*problems),
                    std::move(*engine)};
}

static Expected<SpacesByName> readSpacesByName(const Flags &flags,
                                               const TuneInputs &inputs,
                                               const ChipInfo &chip) {
  SpacesByName spaces;
  for (const TuningProblem &problem : inputs.problems) {
    std::vector<std::string> names =
        getSpaceNames(flags, chip, problem.kernel,
                      inputs.options.strategyOptions.protocol.get());
    auto [entry, isNew] = spaces.try_emplace(names);
    if (!isNew)
      continue;
    Expected<std::vector<Space>> read = readSpaces(names);
    if (!read)
      return read.takeError();
    entry->second = std::move(*read);
  }
  return spaces;
}

/// Searches and prints, and returns the exit code.
static int search(const Flags &flags, TuneInputs &inputs,
                  const SpacesByName &spaces, const ChipInfo &chip,
                  Evaluator &evaluator) {
  catchInterrupts();
  inputs.options.interrupted = &interrupted;
  std::function<unsigned()> columns;
  if (isatty(STDERR_FILENO))
    columns = getTerminalColumns;
  TextScreen text(llvm::outs(), llvm::errs(), columns);
  JSONScreen json(llvm::outs());
  bool isJSON = flags.output.format == OutputStyle::JSONLines;
  auto getSpaces = [&](const TuningProblem &problem) {
    return llvm::ArrayRef<Space>(
        spaces
            .find(getSpaceNames(flags, chip, problem.kernel,
                                inputs.options.strategyOptions.protocol.get()))
            ->second);
  };
  Expected<std::vector<TuningResult>> results =
      tune(inputs.problems, SpaceChoice(getSpaces), chip, evaluator,
           inputs.options, isJSON ? static_cast<TuningObserver &>(json) : text);
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
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.output.database, Store::Mode::ReadWrite);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  Expected<std::unique_ptr<Evaluator>> evaluator =
      createEvaluator(**store, inputs->engine, flags.device.compileOnly);
  if (!evaluator)
    return fail(evaluator.takeError(), kExitNoDevice);
  const Platform &platform = (*evaluator)->getPlatform();
  Expected<const ChipInfo &> chip = lookupChip(platform.chip);
  if (!chip)
    return fail(chip.takeError(), kExitBadInput);
  Expected<SpacesByName> spaces = readSpacesByName(flags, *inputs, *chip);
  if (!spaces)
    return fail(spaces.takeError(), kExitBadInput);
  if (platform.isEmulated())
    llvm::errs() << "tcgemm-tune: note: the emulator checks kernels; times are "
                    "a model's, not measured\n";
  return search(flags, *inputs, *spaces, *chip, **evaluator);
}
