//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "PruneInputs.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Target/OutputFile.h"
#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Tuner/ModuleProblems.h"
#include "tcgemm/Tuner/Protocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

int tcgemm::fail(Error error, int code) {
  // A full disk is none of the input's faults, wherever it is seen.
  error = llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<llvm::ErrorInfoBase> info) -> Error {
        if (info->convertToErrorCode() == std::errc::no_space_on_device)
          code = kExitRunFailed;
        return Error(std::move(info));
      });
  llvm::errs() << "tcgemm-tune: error: " << llvm::toString(std::move(error))
               << '\n';
  return code;
}

int tcgemm::writeOutput(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write) {
  Error error = writeOutputFile(path, [&](llvm::raw_ostream &os) {
    write(os);
    return Error::success();
  });
  if (!error)
    return kExitSuccess;
  // Errors of files begin with the path.
  std::string reason;
  bool isFull = false;
  llvm::handleAllErrors(
      std::move(error),
      [&](const llvm::FileError &of) {
        reason = of.messageWithoutFileInfo();
        isFull = of.convertToErrorCode() == std::errc::no_space_on_device;
      },
      [&](const llvm::ErrorInfoBase &other) { reason = other.message(); });
  return fail(llvm::createStringError("cannot write '" + path + "': " + reason),
              isFull ? kExitRunFailed : kExitBadInput);
}

static Error addRanges(const MatmulRanges &sizes, const KernelSpec &kernel,
                       std::vector<TuningProblem> &problems) {
  if (sizes.m.empty() && sizes.n.empty() && sizes.k.empty())
    return Error::success();
  if (sizes.m.empty() || sizes.n.empty() || sizes.k.empty())
    return llvm::createStringError("give all of --m, --n and --k, or none");
  for (const MatmulSizes &shape : sizes.expand()) {
    TuningProblem problem{kernel, shape, ""};
    problem.kernel.isBatched = shape.batch != 1;
    problems.push_back(std::move(problem));
  }
  return Error::success();
}

/// Fails if the rows of an operand are not whole bytes.
static Error checkDepth(const TuningProblem &problem) {
  MatmulProblem product;
  static_cast<MatmulKind &>(product) = problem.kernel;
  product.setSizes(problem.sizes);
  if (Error error = product.checkDepth())
    return llvm::createStringError(problem.str() + ": " +
                                   llvm::toString(std::move(error)));
  return Error::success();
}

bool tcgemm::isModule(llvm::StringRef text) {
  return text.ends_with(".mlir") || text.ends_with(".mlirbc");
}

/// Adds the problems, and prints the notes on them.
static Error addProblems(Expected<ModuleProblems> module,
                         std::vector<TuningProblem> &problems) {
  if (!module)
    return module.takeError();
  for (const std::string &note : module->notes)
    llvm::errs() << "tcgemm-tune: note: " << note << '\n';
  llvm::append_range(problems, std::move(module->problems));
  return Error::success();
}

static Error addModule(llvm::StringRef path, const ModuleProblemOptions &sizes,
                       std::vector<TuningProblem> &problems) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return addProblems(extractProblems((*buffer)->getBuffer(), path, sizes),
                     problems);
}

/// Adds to the error of a shape the command that the text resembles.
static Error suggestCommand(llvm::StringRef text, Error error) {
  llvm::SmallVector<llvm::StringRef> commands;
  for (const cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!command->getName().empty())
      commands.push_back(command->getName());
  std::optional<std::string> similar = findSimilar(text, commands);
  if (!similar)
    return error;
  return llvm::createStringError(llvm::toString(std::move(error)) +
                                 "; did you mean the command '" + *similar +
                                 "'? A command is the first argument");
}

Expected<std::vector<TuningProblem>> tcgemm::readProblems(const Flags &flags,
                                                          bool mayBeNone) {
  std::vector<std::string> shapes(flags.problem.shapes.begin(),
                                  flags.problem.shapes.end());
  if (flags.commands.explainCommand) // Behind the configuration.
    shapes.assign(flags.space.explained.begin() + 1,
                  flags.space.explained.end());
  if (flags.commands.compareCommand) // Behind both.
    shapes.assign(flags.output.compared.begin() + 2,
                  flags.output.compared.end());
  return readProblemsOf(flags, shapes, mayBeNone);
}

Expected<std::vector<TuningProblem>>
tcgemm::readProblemsOf(const Flags &flags, llvm::ArrayRef<std::string> shapes,
                       bool mayBeNone) {
  Expected<KernelSpec> kernel = flags.problem.readKernel();
  if (!kernel)
    return kernel.takeError();
  Expected<ModuleProblemOptions> sizes = flags.problem.readRanges();
  if (!sizes)
    return sizes.takeError();
  Expected<std::optional<Contraction>> contraction =
      flags.problem.readContraction();
  if (!contraction)
    return contraction.takeError();
  std::vector<TuningProblem> problems;
  if (*contraction) {
    if (!shapes.empty())
      return llvm::createStringError("--einsum does not go with the shape '" +
                                     shapes.front() + "'");
    if (Error error =
            addProblems(extractContraction(**contraction, *kernel), problems))
      return std::move(error);
  }
  for (const std::string &text : shapes) {
    if (isModule(text)) {
      if (Error error = addModule(text, *sizes, problems))
        return std::move(error);
      continue;
    }
    Expected<MatmulSizes> shape = MatmulSizes::parse(text);
    if (!shape)
      return suggestCommand(text, shape.takeError());
    TuningProblem problem{*kernel, *shape, ""};
    problem.kernel.isBatched = shape->batch != 1;
    problems.push_back(std::move(problem));
  }
  // With a module, ranges are for its dynamic sizes.
  if (llvm::none_of(shapes, isModule) &&
      llvm::none_of(flags.problem.shapes, isModule))
    if (Error error = addRanges(*sizes, *kernel, problems))
      return std::move(error);
  if (!flags.problem.problemFile.empty()) {
    Expected<std::vector<TuningProblem>> more =
        readSuite(flags.problem.problemFile, *kernel);
    if (!more)
      return more.takeError();
    llvm::append_range(problems, std::move(*more));
  }
  if (problems.empty() && !mayBeNone)
    return llvm::createStringError(
        "nothing to tune: give shapes as 4096x4096x4096, a file.mlir, --m, "
        "--n and --k, --einsum and --sizes, or --problems");
  for (const TuningProblem &problem : problems)
    if (Error error = checkDepth(problem))
      return std::move(error);
  mergeDuplicates(problems);
  return problems;
}

Expected<std::vector<TuningProblem>>
tcgemm::readGivenProblems(const Flags &flags) {
  return readProblems(flags, /*mayBeNone=*/true);
}

std::vector<std::string> tcgemm::getSpaceNames(const Flags &flags,
                                               const ChipInfo &chip,
                                               const MatmulKind &kind,
                                               const ProtocolRun *run) {
  std::vector<std::string> names(flags.space.spaceNames.begin(),
                                 flags.space.spaceNames.end());
  if (!names.empty())
    return names;
  if (run)
    return {run->protocol.getSpaceName()};
  return getDefaultSpaces(chip, kind);
}

Expected<std::vector<Space>>
tcgemm::readSpaces(llvm::ArrayRef<std::string> names) {
  std::vector<Space> spaces;
  for (const std::string &name : names) {
    Expected<Space> space = readSpace(name);
    if (!space)
      return space.takeError();
    spaces.push_back(std::move(*space));
  }
  return spaces;
}

Expected<StrategyOptions> tcgemm::readStrategyOptions(const Flags &flags) {
  StrategyOptions options;
  options.seed = flags.search.seed;
  Expected<CostModel> model = readCostModel(flags.search.model);
  if (!model)
    return model.takeError();
  options.model = std::move(*model);
  Expected<ModelFeatures> features = readModelFeatures(flags.search.model);
  if (!features)
    return features.takeError();
  options.features = std::move(*features);
  return options;
}

Error tcgemm::setStrategy(StrategyOptions &options, llvm::StringRef name) {
  options.protocol.reset();
  Error unknown = checkStrategy(name);
  if (!unknown)
    return checkStrategy(name, options);
  Expected<Protocol> protocol = readProtocol(name);
  if (protocol) {
    llvm::consumeError(std::move(unknown));
    options.protocol =
        std::make_shared<ProtocolRun>(ProtocolRun{std::move(*protocol), {}});
    return Error::success();
  }
  // For a name of a file, the error is that of the file.
  if (!name.contains('.') && !llvm::sys::fs::exists(name)) {
    llvm::consumeError(protocol.takeError());
    return unknown;
  }
  llvm::consumeError(std::move(unknown));
  return protocol.takeError();
}

/// The configuration that tcgemm-run would choose is tried first, unless the
/// user specifies one.
static Expected<std::shared_ptr<ConfigProvider>>
readKnown(const Flags &flags, const StrategyOptions &strategy) {
  bool isOwnSpace = !flags.space.spaceNames.empty() || strategy.protocol;
  if (flags.space.records.empty() && isOwnSpace)
    return nullptr;
  std::shared_ptr<RecordProvider> records =
      createRecordProvider(flags.space.records);
  if (records) {
    if (Error error = records->prepare())
      return std::move(error);
    for (const std::string &note : records->takeNotes())
      llvm::errs() << "tcgemm-tune: note: " << note << '\n';
  }
  return records;
}

/// Sets the candidates of --configs, which take the place of a search.
static Error readCandidates(const Flags &flags, TunerOptions &options) {
  Expected<std::vector<KernelConfig>> configs = flags.measurement.readConfigs();
  if (!configs)
    return configs.takeError();
  if (configs->empty())
    return Error::success();
  for (auto [name, isGiven] :
       {std::pair("space", !flags.space.spaceNames.empty()),
        std::pair("strategy", flags.search.strategy.getNumOccurrences() > 0),
        std::pair("work", !flags.cluster.work.empty())})
    if (isGiven)
      return llvm::createStringError(
          "--configs does not go with --" + llvm::Twine(name) +
          ": it names all configurations that are measured");
  options.getCandidates = [configs = std::move(*configs)](
                              const TuningProblem &) { return configs; };
  return Error::success();
}

Expected<TunerOptions> tcgemm::readTunerOptions(const Flags &flags) {
  TunerOptions options;
  options.strategy = flags.search.strategy;
  Expected<StrategyOptions> strategyOptions = readStrategyOptions(flags);
  if (!strategyOptions)
    return strategyOptions.takeError();
  options.strategyOptions = std::move(*strategyOptions);
  if (Error error = setStrategy(options.strategyOptions, flags.search.strategy))
    return std::move(error);
  Expected<std::shared_ptr<ConfigProvider>> known =
      readKnown(flags, options.strategyOptions);
  if (!known)
    return known.takeError();
  options.known = std::move(*known);
  options.finalists.usual = flags.search.finalists;
  if (Error error = readCandidates(flags, options))
    return std::move(error);
  Expected<PruneOptions> prune = readPruneOptions(flags);
  if (!prune)
    return prune.takeError();
  options.prune = std::move(*prune);
  if (!flags.search.budget.empty()) {
    Expected<Budget> budget = Budget::parse(flags.search.budget);
    if (!budget)
      return budget.takeError();
    options.budget = *budget;
  }
  return options;
}

Expected<EngineOptions> tcgemm::readEngineOptions(const Flags &flags) {
  Expected<EngineOptions> options = flags.device.readEngineOptions();
  if (!options)
    return options;
  options->timing = flags.measurement.getTiming();
  options->timing.seed = flags.search.seed;
  return options;
}
