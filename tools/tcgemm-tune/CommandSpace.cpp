//===- CommandSpace.cpp - Spaces: counts, lists, explanations -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainTimes.h"
#include "Flags.h"
#include "Screen.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

/// The chip of the options; without a device, the newest chip.
static Expected<const ChipInfo &> readChip(const Flags &flags) {
  return lookupChip(flags.device.chip.empty() ? "sm_90a"
                                              : flags.device.chip.getValue());
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
        readSpaces(getSpaceNames(flags, *chip, problem.kernel));
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
  // True if a problem has some configuration in one of the spaces.
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

namespace {

/// The violations of a configuration of which some parameters are given.
struct Explanation {
  KernelConfig config; ///< The other parameters are chosen to fit.
  std::vector<SpaceViolation> violations;
};

} // namespace

/// With another schedule's parameters, only the violation of the schedule is
/// reported.
static void keepSchedule(std::vector<SpaceViolation> &violations) {
  auto isOfSchedule = [](const SpaceViolation &violation) {
    return violation.rule == "space" &&
           llvm::StringRef(violation.message).starts_with("schedule = ");
  };
  if (llvm::any_of(violations, isOfSchedule))
    llvm::erase_if(violations, [&](const SpaceViolation &violation) {
      return !isOfSchedule(violation);
    });
}

/// Completes the parameters in `text`, so that only these parameters break
/// rules. The others have their defaults, or else the values of the
/// configuration in the space that breaks the fewest rules with them.
static Explanation explainPart(const SearchSpace &space, llvm::StringRef text) {
  Explanation best;
  KernelConfig asDefault;
  llvm::cantFail(asDefault.apply(text));
  best = {asDefault, space.explain(asDefault)};
  if (best.violations.empty())
    return best;
  llvm::ArrayRef<uint64_t> legal = space.getLegal();
  for (uint64_t index : legal) {
    KernelConfig known = space.getConfig(space.getPoint(index)), config = known;
    llvm::cantFail(config.apply(text));
    if (config == known)
      return {config, {}};
  }
  // Parameters of another schedule have no effect in this space.
  bool isOther = asDefault.schedule != space.getSpace().getBase().schedule;
  bool hasBest = !isOther;
  auto consider = [&](uint64_t index) {
    KernelConfig config = space.getConfig(space.getPoint(index));
    llvm::cantFail(config.apply(text));
    std::vector<SpaceViolation> violations = space.explain(config);
    if (!hasBest || violations.size() < best.violations.size())
      best = {config, std::move(violations)};
    hasBest = true;
  };
  constexpr uint64_t mostTried = 200;
  for (size_t i = 0; i < legal.size(); i += legal.size() / mostTried + 1)
    consider(legal[i]);
  uint64_t raw = space.getRawSize();
  for (uint64_t i = 0; i < raw; i += raw / mostTried + 1)
    consider(i);
  keepSchedule(best.violations);
  return best;
}

int tcgemm::runExplain(const Flags &flags) {
  KernelConfig config;
  const std::string &text = flags.space.explained.empty()
                                ? flags.space.explain.getValue()
                                : flags.space.explained[0];
  if (Error error = config.apply(text))
    return fail(std::move(error), kExitBadInput);
  Expected<TimeExplainer> times = TimeExplainer::create(flags);
  if (!times)
    return fail(times.takeError(), kExitBadInput);
  bool isAllowed = false;
  auto explain = [&](const SearchSpace &space) {
    auto [completed, violations] = explainPart(space, text);
    llvm::outs() << space.getSpace().getName() << ", "
                 << space.getProblem().str() << ", " << space.getChip().name
                 << (violations.empty() ? ": allowed" : ":");
    if (violations.empty() && !(completed == config))
      llvm::outs() << ", as " << formatConfig(completed);
    llvm::outs() << '\n';
    for (const SpaceViolation &violation : violations)
      llvm::outs() << "  " << violation.message << " [" << violation.rule
                   << "]\n";
    isAllowed |= violations.empty();
    // A legal configuration has a time, even if no space contains it.
    times->add(space.getChip(), space.getProblem(),
               violations.empty() ? completed : config);
  };
  int code = forEachSpace(flags, explain);
  if (Error error = times->print())
    return fail(std::move(error), kExitBadInput);
  return code == kExitSuccess && !isAllowed ? int(kExitNoConfig) : code;
}

int tcgemm::runListSpaces() {
  for (const ShippedFile &file : getShippedFiles()) {
    llvm::StringRef name = file.name;
    // `x.model.yaml` is of another kind than `x.yaml`.
    if (!name.consume_back(".yaml") || name.contains('.'))
      continue;
    Expected<Space> space = readSpace(name);
    if (!space)
      return fail(space.takeError(), kExitRunFailed);
    llvm::outs() << name << ": " << space->getDescription();
    if (!space->getChips().empty())
      llvm::outs() << " (" << llvm::join(space->getChips(), ", ") << ')';
    llvm::outs() << '\n';
  }
  return kExitSuccess;
}
