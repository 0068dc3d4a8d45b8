//===- Selection.cpp - Which records a command is about ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "tcgemm/Store/RecordProvider.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

Expected<ConfigChoice> ConfigChoice::parse(StringRef text) {
  ConfigChoice choice;
  constexpr size_t minDigits = 4, maxDigits = 16;
  if (text.size() >= minDigits && text.size() <= maxDigits &&
      llvm::all_of(text, llvm::isHexDigit)) {
    choice.hash = text.lower();
    return choice;
  }
  if (llvm::Error error = choice.config.apply(text))
    return std::move(error);
  return choice;
}

bool tcgemm::isDatabaseGiven(const Flags &flags) {
  return flags.output.database.getNumOccurrences() > 0;
}

static bool isOfChip(const Flags &flags, const Record &record) {
  return flags.device.chip.empty() || record.platform.chip == flags.device.chip;
}

std::vector<Record> tcgemm::selectProblem(const Flags &flags,
                                          llvm::ArrayRef<Record> records,
                                          const TuningProblem &problem) {
  std::vector<Record> selected;
  for (const Record &record : records)
    if (isOfChip(flags, record) && record.problem.str() == problem.str())
      selected.push_back(record);
  return selected;
}

Expected<std::vector<Record>>
tcgemm::selectRecords(const Flags &flags,
                      llvm::ArrayRef<TuningProblem> problems) {
  bool mayUseShipped = !isDatabaseGiven(flags) && !problems.empty();
  std::vector<Record> records;
  if (!mayUseShipped || llvm::sys::fs::exists(flags.output.database)) {
    Expected<std::vector<Record>> all =
        problems.empty() ? readAllRecords(flags.output.database)
                         : readRecordsOf(flags.output.database, problems);
    if (!all)
      return all.takeError();
    records = std::move(*all);
  }
  if (problems.empty()) {
    llvm::erase_if(records, [&](const Record &record) {
      return !isOfChip(flags, record);
    });
    return records;
  }
  std::vector<Record> selected;
  for (const TuningProblem &problem : problems) {
    std::vector<Record> found = selectProblem(flags, records, problem);
    if (found.empty() && mayUseShipped) {
      Expected<std::vector<Record>> shipped = getShippedRecords();
      if (!shipped)
        return shipped.takeError();
      found = selectProblem(flags, *shipped, problem);
    }
    llvm::append_range(selected, std::move(found));
  }
  return selected;
}

Expected<Prediction> tcgemm::predictRecord(const TuningProblem &problem,
                                           StringRef chipName) {
  Expected<const ChipInfo &> chip = lookupChip(chipName);
  if (!chip)
    return chip.takeError();
  Prediction prediction;
  prediction.record.problem = problem;
  prediction.record.platform.chip = chip->name.str();
  ConfigProviders providers = createConfigProviders("");
  providers.push_back(std::make_shared<DefaultConfigProvider>());
  for (const std::shared_ptr<ConfigProvider> &provider : providers) {
    if (llvm::Error error = provider->prepare())
      return std::move(error);
    if (std::optional<KernelConfig> config = provider->lookup(
            {*chip, problem.getInfo(), problem.str(), /*overrides=*/""})) {
      prediction.record.config = *config;
      prediction.source = provider->getName().str();
      return prediction;
    }
  }
  return llvm::createStringError("no configuration is known for " +
                                 problem.str() + " on " + chip->name);
}

const Record *tcgemm::findBest(llvm::ArrayRef<Record> records) {
  auto rank = [](const Record &record) {
    TimingStage stage = record.timing.stage;
    return std::tuple(stage == TimingStage::Model, stage != TimingStage::Final,
                      record.timing.median);
  };
  const Record *best = nullptr;
  for (const Record &record : records)
    if (record.isSuccess() && record.timing.median > 0 &&
        (!best || rank(record) < rank(*best)))
      best = &record;
  return best;
}
