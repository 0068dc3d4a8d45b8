//===- RecordProvider.cpp - Configurations from records -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/RecordProvider.h"
#include "RecordPrediction.h"
#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Whether a record has the same kind of product as the request.
bool isSameProduct(const ProblemInfo &record, const ProblemInfo &asked) {
  return record.hasSameOperands(asked);
}

bool isSameEpilogue(const ProblemInfo &record, const ProblemInfo &asked) {
  return record.narrowOutputs == asked.narrowOutputs &&
         record.tmaOutputs == asked.tmaOutputs &&
         record.epilogueBytes == asked.epilogueBytes &&
         record.plainEpilogue == asked.plainEpilogue &&
         record.reductions == asked.reductions;
}

/// Fails if the record's configuration cannot have been measured.
Error checkRecord(const Record &record) {
  Expected<const ChipInfo &> chip = lookupChip(record.platform.chip);
  if (!chip)
    return chip.takeError();
  return checkConfig(record.config, *chip, record.problem.getInfo());
}

} // namespace

RecordProvider::RecordProvider(std::string source, std::vector<Record> all)
    : sources{std::move(source)}, isRead(true) {
  name = getSourceNames();
  keep(std::move(all), 0);
}

RecordProvider::RecordProvider(std::vector<std::string> paths)
    : paths(std::move(paths)) {
  for (const std::string &path : this->paths)
    sources.push_back(path.empty() ? "tcgemm" : path);
  name = getSourceNames();
}

std::string RecordProvider::getSourceNames() const {
  return "records of " + join(sources, ", ");
}

void RecordProvider::keep(std::vector<Record> all, unsigned source) {
  uint64_t numIllegal = 0;
  std::string first;
  for (Record &record : all) {
    if (!record.isSuccess() || record.timing.median <= 0 ||
        record.timing.stage == TimingStage::Model)
      continue;
    if (Error error = checkRecord(record)) {
      std::string reason = toString(std::move(error));
      if (numIllegal++ == 0)
        first = record.problem.str() + ": " + reason;
      continue;
    }
    records.push_back({std::move(record), source});
  }
  if (numIllegal)
    notes.push_back(
        "records of " + sources[source] + ": " + std::to_string(numIllegal) +
        " with an illegal config are left out; the first is " + first);
}

Error RecordProvider::prepare() {
  if (constants.empty()) {
    Expected<StringMap<ModelConstants>> shipped = readShippedConstants();
    if (!shipped)
      return shipped.takeError();
    constants = std::move(*shipped);
  }
  if (isRead)
    return Error::success();
  for (auto [source, path] : enumerate(paths)) {
    Expected<std::vector<Record>> all =
        path.empty() ? getShippedRecords() : readRecords(path);
    if (!all)
      return all.takeError();
    keep(std::move(*all), source);
  }
  isRead = true;
  return Error::success();
}

std::shared_ptr<RecordProvider> createRecordProvider(StringRef option) {
  if (option == "none")
    return nullptr;
  std::vector<std::string> paths;
  if (!option.empty())
    paths.push_back(option.str());
  paths.push_back("");
  return std::make_shared<RecordProvider>(std::move(paths));
}

ConfigProviders createConfigProviders(StringRef option) {
  ConfigProviders providers;
  if (std::shared_ptr<RecordProvider> records = createRecordProvider(option))
    providers.push_back(std::move(records));
  providers.push_back(std::make_shared<ModelProvider>(readShippedConstants));
  return providers;
}

const RecordProvider::Entry *
RecordProvider::findSame(const ConfigRequest &request,
                         const ProblemInfo &asked) const {
  const Entry *best = nullptr;
  auto rank = [&](const Entry &entry) {
    return std::make_tuple(
        !isSameEpilogue(entry.record.problem.getInfo(), asked), entry.source,
        entry.record.timing.median);
  };
  for (const Entry &entry : records) {
    ProblemInfo info = entry.record.problem.getInfo();
    if (entry.record.platform.chip != request.chip.name ||
        !isSameProduct(info, asked) || getDistance(info, asked) != 0 ||
        (best && rank(entry) >= rank(*best)))
      continue;
    if (isUsable(entry.record.config, request, asked) &&
        hasRoomForEpilogue(entry.record.config, info, asked))
      best = &entry;
  }
  return best;
}

std::optional<KernelConfig>
RecordProvider::lookup(const ConfigRequest &request) {
  name = getSourceNames();
  ProblemInfo asked = request.problem;
  if (assumed)
    for (auto [size, value] :
         {std::pair(&asked.m, assumed->m), std::pair(&asked.n, assumed->n),
          std::pair(&asked.k, assumed->k),
          std::pair(&asked.batch, assumed->batch)})
      if (*size < 0)
        *size = value;
  if (!hasSizes(asked))
    return std::nullopt;
  if (const Entry *same = findSame(request, asked)) {
    bool isExact = isSameEpilogue(same->record.problem.getInfo(), asked);
    setAnswer(request, isExact ? "exact" : "product", *same);
    return isExact ? same->record.config
                   : stageInputs(same->record.config, request, asked);
  }
  RecordPrediction prediction(constants, request, asked);
  for (const Entry &entry : records)
    prediction.consider(entry.record);
  const std::optional<RecordPrediction::Choice> &best = prediction.getBest();
  if (!best)
    return std::nullopt;
  prediction.considerOthers();
  if (!best->record) {
    name = best->source;
    return best->config;
  }
  setAnswer(request, "predicted", *find_if(records, [&](const Entry &entry) {
              return &entry.record == best->record;
            }));
  bool readsMore =
      asked.epilogueBytes > best->record->problem.getInfo().epilogueBytes;
  return readsMore ? stageInputs(best->config, request, asked) : best->config;
}

/// Sets the description of the answer for remarks and notes.
void RecordProvider::setAnswer(const ConfigRequest &request, StringRef tier,
                               const Entry &entry) {
  const Record &record = entry.record;
  name = ("records of " + sources[entry.source] + ", " + tier + " " +
          record.problem.str() + " on " + record.platform.device)
             .str();
  answers.push_back(request.kernel + ": " + name);
}

} // namespace tcgemm
