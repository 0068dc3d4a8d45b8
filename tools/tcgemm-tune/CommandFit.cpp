//===- CommandFit.cpp - tcgemm-tune fit ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "MachineInputs.h"
#include "Sweeps.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/OutputFile.h"
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

/// The constants that the fit starts from: those of --model, the chip's shipped
/// ones, or the standard ones, which `default` names, too.
static Expected<ModelConstants> readStart(llvm::StringRef name,
                                          const ChipInfo &chip) {
  if (name == "default")
    return ModelConstants();
  if (llvm::Error error = refuseMachine(name))
    return std::move(error);
  if (!name.empty())
    return readModelConstants(name);
  Expected<llvm::StringMap<ModelConstants>> shipped = readShippedConstants();
  if (!shipped)
    return shipped.takeError();
  auto found = shipped->find(chip.name);
  return found == shipped->end() ? ModelConstants() : found->second;
}

static void printQuality(llvm::StringRef schedule, const FitQuality &quality,
                         bool listLosses) {
  if (quality.losses.empty())
    return;
  llvm::errs() << formatv("{0}: {1} configurations of {2} problems, error "
                          "{3:f1} %\n",
                          schedule, quality.records, quality.problems,
                          100 * quality.error);
  double sum = 0;
  for (const ChoiceLoss &loss : quality.losses)
    sum += loss.ratio - 1;
  const ChoiceLoss &worst = quality.losses.front();
  llvm::errs() << formatv(
      "{0}: its choice takes {1:f1} % longer than the fastest in the mean, and "
      "{2:f1} % for {3}\n",
      schedule, 100 * sum / static_cast<double>(quality.losses.size()),
      100 * (worst.ratio - 1), worst.problem);
  for (const ChoiceLoss &loss : quality.losses)
    if (listLosses)
      llvm::errs() << formatv(
          "  {0,5:f1} % {1}: {2:f2} us, estimate {3:f2} us, {4}\n",
          100 * (loss.ratio - 1), loss.problem, loss.microseconds,
          loss.estimate, loss.config);
}

int tcgemm::runFit(const Flags &flags) {
  Expected<std::vector<MatmulSizes>> excluded = readExcluded(flags);
  if (!excluded)
    return fail(excluded.takeError(), kExitBadInput);
  if (llvm::Error error = checkOutputFile(flags.sweep.outputFile))
    return fail(std::move(error), kExitBadInput);
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
  Expected<ModelConstants> start = readStart(flags.search.model, *stored->chip);
  if (!start)
    return fail(start.takeError(), kExitBadInput);
  start->chip = stored->chip->name.str();
  FitOptions options;
  options.folds = flags.sweep.folds;
  Expected<FitResult> result = fitModel(stored->records, *start, options);
  if (!result)
    return fail(result.takeError(), kExitBadInput);
  for (const ScheduleFamily *family : getFittedFamilies())
    printQuality(getScheduleName(family->getSchedule()),
                 result->qualities[family->getSchedule()], flags.sweep.losses);
  return writeOutput(flags.sweep.outputFile, [&](llvm::raw_ostream &os) {
    writeModelConstants(result->constants, os);
  });
}
