//===- Sweeps.cpp - Records given on the command line ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Expected;

Expected<std::vector<Record>>
tcgemm::readRecordFiles(llvm::ArrayRef<std::string> files) {
  std::vector<Record> all;
  for (const std::string &file : files) {
    Expected<std::vector<Record>> records =
        file == kShippedRecords ? getShippedRecords() : readAllRecords(file);
    if (!records)
      return records.takeError();
    llvm::append_range(all, std::move(*records));
  }
  return all;
}

Expected<StoredSweeps> tcgemm::readSweeps(const Flags &flags) {
  StoredSweeps stored;
  std::vector<MatmulSizes> wanted;
  std::vector<Record> all;
  for (const std::string &argument : flags.sweep.sweepArguments) {
    Expected<MatmulSizes> sizes = MatmulSizes::parse(argument);
    if (sizes && !llvm::sys::fs::exists(argument)) {
      wanted.push_back(*sizes);
      continue;
    }
    llvm::consumeError(sizes.takeError());
    Expected<std::vector<Record>> records = readAllRecords(argument);
    if (!records)
      return records.takeError();
    llvm::append_range(all, std::move(*records));
  }
  llvm::StringSet<> seen;
  std::string chip;
  for (Record &record : all) {
    if (!wanted.empty() && !llvm::is_contained(wanted, record.problem.sizes))
      continue;
    if (!chip.empty() && chip != record.platform.chip)
      return llvm::createStringError("the records are of " + chip + " and of " +
                                     record.platform.chip +
                                     ": a sweep is of one chip");
    chip = record.platform.chip;
    if (seen.insert(record.problem.str()).second)
      stored.problems.push_back(record.problem);
    stored.records.push_back(std::move(record));
  }
  for (const MatmulSizes &sizes : wanted)
    if (llvm::none_of(stored.problems, [&](const TuningProblem &problem) {
          return problem.sizes == sizes;
        }))
      return llvm::createStringError("no record of " + sizes.str());
  if (stored.records.empty())
    return llvm::createStringError("there are no records");
  Expected<const ChipInfo &> known = lookupChip(chip);
  if (!known)
    return known.takeError();
  stored.chip = &*known;
  return stored;
}

/// The names of the spaces that a sweep may be of.
static std::vector<std::string> getCandidates(const Flags &flags,
                                              const ChipInfo &chip,
                                              const KernelSpec &kernel) {
  std::vector<std::string> names(flags.space.spaceNames.begin(),
                                 flags.space.spaceNames.end());
  if (!names.empty())
    return names;
  for (const std::string &name : getDefaultSpaces(chip, kernel)) {
    llvm::StringRef schedule = name;
    if (schedule.consume_back("-quick"))
      names.push_back((schedule + "-full").str());
    names.push_back(name);
  }
  return names;
}

Expected<Sweep> tcgemm::createSweep(const Flags &flags,
                                    const StoredSweeps &stored,
                                    const TuningProblem &problem) {
  std::optional<Sweep> largest;
  std::string reasons;
  for (const std::string &name :
       getCandidates(flags, *stored.chip, problem.kernel)) {
    Expected<Space> space = readSpace(name);
    if (!space)
      return space.takeError();
    Expected<Sweep> sweep =
        createSweep(*space, *stored.chip, problem, stored.records);
    if (!sweep)
      reasons += (reasons.empty() ? "" : "; ") + toString(sweep.takeError());
    else if (!largest ||
             sweep->space.getLegal().size() > largest->space.getLegal().size())
      largest = std::move(*sweep);
  }
  if (!largest)
    return llvm::createStringError(reasons);
  return std::move(*largest);
}
