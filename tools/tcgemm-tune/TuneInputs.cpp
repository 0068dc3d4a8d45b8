//===- TuneInputs.cpp - The parts of a run that flags say --------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneInputs.h"

using namespace tcgemm;
using llvm::Expected;

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

Expected<TuneInputs> tcgemm::readInputs(const Flags &flags) {
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
  if (options->prune.mode != PruneMode::None)
    for (auto [name, isGiven] :
         {std::pair("compile-only", flags.device.compileOnly.getValue()),
          std::pair("work", !flags.cluster.work.empty())})
      if (isGiven)
        return llvm::createStringError("--prune does not go with --" +
                                       llvm::Twine(name) +
                                       ", where no time is compared");
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

Expected<SpacesByName> tcgemm::readSpacesByName(const Flags &flags,
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

llvm::ArrayRef<Space> tcgemm::findSpaces(const SpacesByName &spaces,
                                         const Flags &flags,
                                         const TuneInputs &inputs,
                                         const ChipInfo &chip,
                                         const TuningProblem &problem) {
  return spaces
      .find(getSpaceNames(flags, chip, problem.kernel,
                          inputs.options.strategyOptions.protocol.get()))
      ->second;
}
