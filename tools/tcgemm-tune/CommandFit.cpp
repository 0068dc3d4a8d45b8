//===- CommandFit.cpp - tcgemm-tune fit ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Sweeps.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Tuner/ModelFit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::formatv;

/// The sizes of --without.
static Expected<std::vector<MatmulSizes>> readExcluded(const Flags &flags) {
  std::vector<MatmulSizes> excluded;
  for (const std::string &text : flags.sweep.without) {
    Expected<MatmulSizes> sizes = MatmulSizes::parse(text);
    if (!sizes)
      return sizes.takeError();
    excluded.push_back(*sizes);
  }
  return excluded;
}

static void printQuality(llvm::StringRef schedule, const FitQuality &quality) {
  if (quality.records > 0)
    llvm::errs() << formatv("{0}: {1} configurations of {2} problems, error "
                            "{3:f1} %\n",
                            schedule, quality.records, quality.problems,
                            100 * quality.error);
}

int tcgemm::runFit(const Flags &flags) {
  Expected<std::vector<MatmulSizes>> excluded = readExcluded(flags);
  if (!excluded)
    return fail(excluded.takeError(), kExitBadInput);
  Expected<StoredSweeps> stored = readSweeps(flags);
  if (!stored)
    return fail(stored.takeError(), kExitBadInput);
  llvm::erase_if(stored->records, [&](const Record &record) {
    return record.timing.stage == TimingStage::Model ||
           llvm::is_contained(*excluded, record.problem.sizes);
  });
  size_t count = stored->records.size();
  llvm::erase_if(stored->records, [](const Record &record) {
    return !isComputable(record.config);
  });
  if (size_t left = count - stored->records.size())
    llvm::errs() << "tcgemm-tune: note: " << left
                 << " records with an illegal config are left out\n";
  ModelConstants start;
  if (!flags.search.model.empty()) {
    Expected<ModelConstants> constants = readModelConstants(flags.search.model);
    if (!constants)
      return fail(constants.takeError(), kExitBadInput);
    start = std::move(*constants);
  }
  start.chip = stored->chip->name.str();
  Expected<FitResult> result = fitModel(stored->records, start);
  if (!result)
    return fail(result.takeError(), kExitBadInput);
  for (const ScheduleFamily *family : getFittedFamilies())
    printQuality(getScheduleName(family->getSchedule()),
                 result->qualities[family->getSchedule()]);
  std::error_code code;
  llvm::raw_fd_ostream out(flags.sweep.outputFile, code);
  if (code)
    return fail(llvm::createStringError("cannot write '" +
                                        flags.sweep.outputFile +
                                        "': " + code.message()),
                kExitBadInput);
  writeModelConstants(result->constants, out);
  return kExitSuccess;
}
