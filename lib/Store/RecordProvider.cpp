//===- RecordProvider.cpp - Configurations from records -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/RecordProvider.h"
#include "LogicSelector.h"
#include "RecordPrediction.h"
#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/ShippedMachines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Returns whether a record has the same kind of product as the request.
bool isSameProduct(const ProblemInfo &record, const ProblemInfo &asked) {
  return record.hasSameOperands(asked);
}

/// Fails if the record's configuration cannot have been measured.
Error checkRecord(const Record &record) {
  Expected<const ChipInfo &> chip = lookupChip(record.platform.chip);
  if (!chip)
    return chip.takeError();
  return checkConfig(record.config, *chip, record.problem.getInfo());
}

} // namespace

/// A record and the number of its source.
struct RecordProvider::Entry : KnownRecord {
  Entry(Record record, size_t configNumber, unsigned source)
      : KnownRecord(std::move(record), configNumber), source(source) {}
  unsigned source;
};

RecordProvider::~RecordProvider() = default;

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
    size_t number =
        configNumbers.try_emplace(record.config.str(), configNumbers.size())
            .first->second;
    records.emplace_back(std::move(record), number, source);
    const ProblemInfo &info = records.back().problem;
    bySizes[{info.m, info.n, info.k, info.batch}].push_back(records.size() - 1);
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
    Expected<bool> isLogic = readLogic(path);
    if (!isLogic)
      return isLogic.takeError();
    if (*isLogic)
      continue;
    Expected<std::vector<Record>> all =
        path.empty() ? getShippedRecords() : readRecords(path);
    if (!all)
      return all.takeError();
    keep(std::move(*all), source);
  }
  isRead = true;
  return Error::success();
}

/// Reads a file if it has logic, and returns whether it has.
Expected<bool> RecordProvider::readLogic(const std::string &path) {
  if (path.empty())
    return false;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  // The reader of records reports files that cannot be read.
  if (!buffer || !isSizeLogic((*buffer)->getBuffer()))
    return false;
  Expected<SizeLogic> all = parseSizeLogic((*buffer)->getBuffer(), path);
  if (!all)
    return all.takeError();
  logics.push_back(std::make_unique<LogicSelector>(path, std::move(*all)));
  return true;
}

std::shared_ptr<RecordProvider> createRecordProvider(StringRef option) {
  if (option == "none")
    return nullptr;
  std::vector<std::string> paths;
  if (!option.empty() && option != kShippedRecords)
    paths.push_back(option.str());
  paths.push_back("");
  return std::make_shared<RecordProvider>(std::move(paths));
}

ConfigProviders createConfigProviders(StringRef option) {
  ConfigProviders providers;
  if (std::shared_ptr<RecordProvider> records = createRecordProvider(option))
    providers.push_back(std::move(records));
  providers.push_back(std::make_shared<ModelProvider>(readShippedConstants));
  providers.push_back(
      std::make_shared<SimulatorProvider>(readShippedMachinesByChip));
  return providers;
}

/// Returns whether the parameters that the user fixes change the configuration,
/// so that its record's time is not that of the kernel.
static bool isChanged(const KernelConfig &config, StringRef overrides) {
  if (overrides.empty())
    return false;
  KernelConfig fixed = config;
  if (Error error = fixed.apply(overrides))
    consumeError(std::move(error));
  return !(fixed == config);
}

const RecordProvider::Entry *
RecordProvider::findSame(const ConfigRequest &request,
                         const ProblemInfo &asked) const {
  auto found = bySizes.find({asked.m, asked.n, asked.k, asked.batch});
  if (found == bySizes.end())
    return nullptr;
  const Entry *best = nullptr;
  auto rank = [&](const Entry &entry) {
    return std::make_tuple(isChanged(entry.record.config, request.overrides),
                           !isSameEpilogue(entry.problem, asked), entry.source,
                           entry.record.timing.median);
  };
  for (size_t place : found->second) {
    const Entry &entry = records[place];
    const ProblemInfo &info = entry.problem;
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

/// Sizes with an entry of their own in the logic of a file come before records,
/// and its rules before predictions.
std::optional<KernelConfig>
RecordProvider::lookupLogic(bool byRule, const ConfigRequest &request,
                            const ProblemInfo &asked) {
  auto part = byRule ? LogicSelector::Part::Rule : LogicSelector::Part::Exact;
  for (const std::unique_ptr<LogicSelector> &logic : logics)
    if (std::optional<KernelConfig> config =
            logic->choose(part, request, asked)) {
      name.assign(logic->getAnswer().begin(), logic->getAnswer().end());
      if (!request.kernel.empty())
        answers.push_back(request.kernel + ": " + name);
      return config;
    }
  return std::nullopt;
}

bool RecordProvider::hasExact(const ConfigRequest &request) {
  const ProblemInfo &asked = request.problem;
  return lookupLogic(/*byRule=*/false, request, asked) ||
         findSame(request, asked);
}

std::optional<KernelConfig>
RecordProvider::lookup(const ConfigRequest &request) {
  if (!assumed)
    return lookup(request, request.problem);
  ProblemInfo asked = request.problem;
  for (auto [size, value] :
       {std::pair(&asked.m, assumed->m), std::pair(&asked.n, assumed->n),
        std::pair(&asked.k, assumed->k),
        std::pair(&asked.batch, assumed->batch)})
    if (*size < 0)
      *size = value;
  return lookup(request, asked);
}

std::optional<KernelConfig> RecordProvider::lookup(const ConfigRequest &request,
                                                   const ProblemInfo &asked) {
  if (!hasSizes(asked)) {
    name = getSourceNames();
    return std::nullopt;
  }
  if (auto config = lookupLogic(/*byRule=*/false, request, asked))
    return config;
  if (const Entry *same = findSame(request, asked)) {
    bool isExact = isSameEpilogue(same->problem, asked);
    setAnswer(request, isExact ? "exact" : "product", *same);
    return isExact ? same->record.config
                   : stageInputs(same->record.config, request, asked);
  }
  if (auto config = lookupLogic(/*byRule=*/true, request, asked))
    return config;
  RecordPrediction prediction(constants, request, asked);
  for (Entry &entry : records)
    prediction.consider(entry);
  prediction.compareRecords();
  const std::optional<RecordPrediction::Choice> &best = prediction.getBest();
  if (!best) {
    name = getSourceNames();
    return std::nullopt;
  }
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
  if (!request.kernel.empty())
    answers.push_back(request.kernel + ": " + name);
}

} // namespace tcgemm
