//===- CommandExportKernel.cpp - tcgemm-tune export of kernels ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel as C++: of a record, of a shape and a configuration, or of a module.
//
//===----------------------------------------------------------------------===//

#include "ExchangeFlags.h"
#include "KernelChoice.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Tuner/KernelSource.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

/// The configuration of --config; none without the option.
static Expected<std::optional<ConfigChoice>>
readConfig(const ExchangeFlags &flags) {
  if (flags.config.empty())
    return std::nullopt;
  Expected<ConfigChoice> parsed = ConfigChoice::parse(flags.config);
  if (!parsed)
    return parsed.takeError();
  return *parsed;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The best record that fits; else the configuration that was given, or that is
/// predicted.
static Expected<KernelChoice>
chooseKernel(const ExchangeFlags &flags, std::vector<Record> candidates,
             llvm::ArrayRef<TuningProblem> problems) {
  Expected<std::optional<ConfigChoice>> config = readConfig(flags);
  if (!config)
    return config.takeError();
  if (*config)
    llvm::erase_if(candidates, [&](const Record &record) {
      return !(*config)->matches(record.config);
    });
  for (const Record &record : candidates)
    if (record.problem.str() != candidates.front().problem.str())
      return llvm::createStringError(
          "there are records of several problems: give a shape");
  if (const Record *best = findBest(candidates))
    return makeComplete(*best);
  if (problems.size() == 1 && !*config && !isDatabaseGiven(flags.shared))
    return predictKernel(problems.front(), getChip(flags.shared));
  if (!*config || !(*config)->hash.empty() || problems.size() != 1)
    return llvm::createStringError(
        "no record in '" + flags.shared.output.database +
        "' fits: a kernel without one needs a shape and its configuration");
  KernelChoice choice;
  choice.record.problem = problems.front();
  choice.record.platform.chip = getChip(flags.shared);
  choice.problem = problems.front().str();
  choice.configText = flags.config;
  choice.isComplete = false;
  return choice;
}

/// `code` is the exit code of a failure.
static Expected<KernelChoice>
chooseOfShapes(const ExchangeFlags &flags,
               llvm::ArrayRef<TuningProblem> problems, int &code) {
  Expected<std::vector<Record>> records = selectRecords(flags.shared, problems);
  code = kExitNoConfig;
  if (records)
    return chooseKernel(flags, std::move(*records), problems);
  // A configuration can be exported without any records.
  if (flags.config.empty()) {
    code = kExitBadInput;
    return records.takeError();
  }
  llvm::consumeError(records.takeError());
  return chooseKernel(flags, {}, problems);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The configuration of --config as text; a hash is one of the database's.
static Expected<std::string> readConfigText(const ExchangeFlags &flags) {
  Expected<std::optional<ConfigChoice>> config = readConfig(flags);
  if (!config)
    return config.takeError();
  if (!*config || (*config)->hash.empty())
    return flags.config.getValue();
  Expected<std::vector<Record>> records = selectRecords(flags.shared, {});
  if (!records)
    return records.takeError();
  for (const Record &record : *records)
    if ((*config)->matches(record.config))
      return record.config.str();
  return llvm::createStringError("no record in '" +
                                 flags.shared.output.database +
                                 "' has a config " + flags.config);
}

/// Compiles the module without changes. Records may have no name for its
/// epilogue, so that no record has this kernel's time.
static Expected<KernelChoice>
chooseOfModule(const ExchangeFlags &flags,
               llvm::ArrayRef<TuningProblem> problems) {
  const Flags &shared = flags.shared;
  if (shared.problem.shapes.size() != 1 || problems.size() != 1)
    return llvm::createStringError(
        "a module that is exported must be the only argument and have one "
        "problem, but there are " +
        llvm::Twine(problems.size()));
  if (shared.problem.isStatic)
    return llvm::createStringError(
        "--static: a module says itself which sizes are compiled in");
  const std::string &path = shared.problem.shapes.front();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  Expected<std::string> configText = readConfigText(flags);
  if (!configText)
    return configText.takeError();
  KernelChoice choice;
  choice.module = (*buffer)->getBuffer().str();
  choice.record.problem = problems.front();
  choice.record.platform.chip = getChip(shared);
  choice.problem = llvm::sys::path::filename(path).str() + " " +
                   problems.front().sizes.str();
  choice.configText = std::move(*configText);
  choice.isComplete = false;
  bool hasDatabase = llvm::sys::fs::exists(shared.output.database);
  if (!hasDatabase && isDatabaseGiven(shared) && flags.config.empty())
    return llvm::createStringError("'" + shared.output.database +
                                   "' is no database: there is no such file");
  choice.records =
      hasDatabase ? shared.output.database.getValue() : std::string();
  return choice;
}

int tcgemm::exportKernel(const ExchangeFlags &flags) {
  Expected<std::vector<TuningProblem>> problems =
      readGivenProblems(flags.shared);
  if (!problems)
    return fail(problems.takeError(), kExitBadInput);
  int code = kExitBadInput;
  Expected<KernelChoice> choice =
      llvm::any_of(flags.shared.problem.shapes, isModule)
          ? chooseOfModule(flags, *problems)
          : chooseOfShapes(flags, *problems, code);
  if (!choice)
    return fail(choice.takeError(), code);
  Expected<KernelPack> pack = getPack(flags, *choice);
  if (!pack)
    return fail(pack.takeError(), kExitRunFailed);
  const Record &record = choice->record;
  ExportedKernel exported{*pack, record, choice->problem, flags.exportName};
  // Written to memory first, so that an error leaves no partial file.
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (Error error = flags.exportFormat == ExportFormat::Program
                        ? writeKernelProgram(exported, stream)
                        : writeKernelHeader(exported, stream))
    return fail(std::move(error), kExitBadInput);
  code = writeOutput(flags.exportOutput,
                     [&](llvm::raw_ostream &os) { os << text; });
  if (code == kExitSuccess && flags.exportOutput != "-")
    llvm::errs() << "tcgemm-tune: " << choice->problem << ": "
                 << (record.timing.median > 0 ? formatTime(record) + ", "
                                              : std::string())
                 << formatConfig(record.config) << '\n';
  return code;
}
