//===- CommandSpace.cpp - Spaces: counts, lists, explanations ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Screen.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

/// The chip that is asked about: without a device, the newest one's.
static Expected<const ChipInfo &> readChip(const Flags &flags) {
  return lookupChip(flags.chip.empty() ? "sm_90a" : flags.chip.getValue());
}

/// Calls `visit` for each space of each problem.
static int forEachSpace(const Flags &flags,
                        llvm::function_ref<void(const SearchSpace &)> visit) {
  Expected<const ChipInfo &> chip = readChip(flags);
  if (!chip)
    return fail(chip.takeError(), kExitBadInput);
  Expected<std::vector<TuningProblem>> problems = readProblems(flags);
  if (!problems)
    return fail(problems.takeError(), kExitBadInput);
  for (const TuningProblem &problem : *problems) {
    Expected<std::vector<Space>> spaces =
        readSpaces(flags, *chip, problem.kernel.type);
    if (!spaces)
      return fail(spaces.takeError(), kExitBadInput);
    for (const Space &space : *spaces) {
      Expected<SearchSpace> bound = SearchSpace::create(space, *chip, problem);
      if (!bound)
        return fail(bound.takeError(), kExitBadInput);
      visit(*bound);
    }
  }
  return kExitSuccess;
}

int tcgemm::runCount(const Flags &flags) {
  // Whether a problem has some configuration in one of the spaces.
  llvm::StringMap<bool> hasLegal;
  int code = forEachSpace(flags, [&](const SearchSpace &space) {
    llvm::outs() << space.getSpace().getName() << ", "
                 << space.getProblem().str() << ", " << space.getChip().name
                 << '\n';
    for (const SpaceCount::Step &step : space.count().steps)
      llvm::outs() << llvm::formatv("  {0,12} {1}\n", step.count, step.name);
    hasLegal[space.getProblem().str()] |= !space.getLegal().empty();
  });
  bool isEmpty = llvm::any_of(
      hasLegal, [](const auto &problem) { return !problem.getValue(); });
  return code == kExitSuccess && isEmpty ? int(kExitNoConfig) : code;
}

int tcgemm::runList(const Flags &flags) {
  return forEachSpace(flags, [&](const SearchSpace &space) {
    space.forEachLegal([&](const SpacePoint &point) {
      llvm::outs() << formatConfig(space.getConfig(point)) << '\n';
      return true;
    });
  });
}

int tcgemm::runExplain(const Flags &flags) {
  KernelConfig config;
  const std::string &text =
      flags.explained.empty() ? flags.explain.getValue() : flags.explained[0];
  if (Error error = config.apply(text))
    return fail(std::move(error), kExitBadInput);
  bool isAllowed = false;
  auto explain = [&](const SearchSpace &space) {
    std::vector<SpaceViolation> violations = space.explain(config);
    llvm::outs() << space.getSpace().getName() << ", "
                 << space.getProblem().str() << ", " << space.getChip().name
                 << (violations.empty() ? ": allowed\n" : ":\n");
    for (const SpaceViolation &violation : violations)
      llvm::outs() << "  " << violation.message << " [" << violation.rule
                   << "]\n";
    isAllowed |= violations.empty();
  };
  int code = forEachSpace(flags, explain);
  return code == kExitSuccess && !isAllowed ? int(kExitNoConfig) : code;
}
