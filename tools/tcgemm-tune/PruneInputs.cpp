//===- PruneInputs.cpp - Options of pruning -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PruneInputs.h"
#include "Sweeps.h"
#include "tcgemm/Store/RecordProvider.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

/// Fails for flags that have no effect, and for values out of their range.
static Error checkFlags(const SearchFlags &flags) {
  bool isStatistical = flags.prune == PruneMode::Statistical;
  for (auto [name, isGiven] :
       {std::pair("prune-quantile", flags.pruneQuantile.getNumOccurrences()),
        std::pair("prune-sweeps", flags.pruneSweeps.getNumOccurrences())})
    if (isGiven && !isStatistical)
      return llvm::createStringError("--" + llvm::Twine(name) +
                                     " needs --prune=statistical");
  if (!flags.limits.empty() && flags.prune == PruneMode::None)
    return llvm::createStringError("--limits needs --prune");
  if (isStatistical && flags.model == "none")
    return llvm::createStringError(
        "--prune=statistical needs a model, but --model is none");
  // Written so that a NaN fails.
  if (!(flags.pruneQuantile >= 0.5 && flags.pruneQuantile <= 1))
    return llvm::createStringError(
        llvm::formatv("--prune-quantile is {0}, but it must be 0.5 to 1",
                      flags.pruneQuantile.getValue())
            .str());
  return Error::success();
}

static Expected<llvm::StringMap<SpeedLimits>> readLimits(llvm::StringRef name) {
  if (name.empty())
    return readShippedLimits();
  Expected<SpeedLimits> limits = readSpeedLimits(name);
  if (!limits)
    return limits.takeError();
  llvm::StringMap<SpeedLimits> all;
  all.try_emplace(limits->chip, *limits);
  return std::move(all);
}

Expected<PruneOptions> tcgemm::readPruneOptions(const Flags &flags,
                                                llvm::ArrayRef<Record> sweeps) {
  if (Error error = checkFlags(flags.search))
    return std::move(error);
  PruneOptions options;
  options.mode = flags.search.prune;
  if (options.mode == PruneMode::None)
    return options;
  Expected<llvm::StringMap<SpeedLimits>> limits =
      readLimits(flags.search.limits);
  if (!limits)
    return limits.takeError();
  options.limits = std::move(*limits);
  Expected<TimeModel> model = readTimeModel(flags.search.model);
  if (!model)
    return model.takeError();
  options.model = std::move(*model);
  options.quantile = flags.search.pruneQuantile;
  if (options.mode != PruneMode::Statistical)
    return options;
  std::vector<std::string> files(flags.search.pruneSweeps.begin(),
                                 flags.search.pruneSweeps.end());
  if (files.empty() && !sweeps.empty()) {
    options.sweeps = sweeps.vec();
    return options;
  }
  if (files.empty())
    files.push_back(kShippedRecords.str());
  Expected<std::vector<Record>> records = readRecordFiles(files);
  if (!records)
    return records.takeError();
  options.sweeps = std::move(*records);
  return options;
}

Error tcgemm::checkLimits(const PruneOptions &options, const ChipInfo &chip) {
  if (options.mode == PruneMode::None || options.limits.contains(chip.name))
    return Error::success();
  std::vector<llvm::StringRef> known(options.limits.keys().begin(),
                                     options.limits.keys().end());
  llvm::sort(known);
  return llvm::createStringError(
      "--prune: there are no limits for " + chip.name + ", only for " +
      llvm::join(known, ", ") + "; --limits names a file");
}

void tcgemm::printPruneNotes(const PruneOptions &options, const ChipInfo &chip,
                             llvm::StringRef device,
                             llvm::ArrayRef<TuningProblem> problems) {
  auto limits = options.limits.find(chip.name);
  if (limits != options.limits.end() && limits->second.name != device)
    llvm::errs() << "tcgemm-tune: note: the limits are those of "
                 << limits->second.name << ", the device is " << device << '\n';
  if (options.mode != PruneMode::Statistical)
    return;
  llvm::StringSet<> seen;
  for (const TuningProblem &problem : problems)
    if (seen.insert(problem.kernel.str()).second &&
        findMargins(options.sweeps, problem, chip, options.model,
                    options.quantile)
            .empty())
      llvm::errs() << "tcgemm-tune: note: fewer than " << kFewestErrors
                   << " fast configurations of other sizes of "
                   << problem.kernel.str() << " are known: only bounds prune\n";
}
