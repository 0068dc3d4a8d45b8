//===- RecordProvider.cpp - Configurations from records ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/RecordProvider.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Whether a record is of the request's kind of product.
bool isSameProduct(const ProblemInfo &record, const ProblemInfo &asked) {
  return record.elementType == asked.elementType &&
         record.aKContiguous == asked.aKContiguous &&
         record.bKContiguous == asked.bKContiguous;
}

bool isSameEpilogue(const ProblemInfo &record, const ProblemInfo &asked) {
  return record.narrowOutputs == asked.narrowOutputs &&
         record.tmaOutputs == asked.tmaOutputs &&
         record.epilogueBytes == asked.epilogueBytes;
}

bool isKnown(const ProblemInfo &problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
}

/// The differences of the sizes' logarithms to the base 2, each without sign.
std::array<double, 4> getDifferences(const ProblemInfo &a,
                                     const ProblemInfo &b) {
  auto difference = [](int64_t x, int64_t y) {
    return std::fabs(std::log2(static_cast<double>(x)) -
                     std::log2(static_cast<double>(y)));
  };
  return {difference(a.m, b.m), difference(a.n, b.n), difference(a.k, b.k),
          difference(a.batch, b.batch)};
}

/// How far a record is from what is asked for, in doublings of a size.
double getDistance(const ProblemInfo &record, const ProblemInfo &asked) {
  // A layout decides on tiles more than a type does.
  constexpr double otherType = 0.25, otherLayout = 0.5;
  double sum = 0;
  for (double difference : getDifferences(record, asked))
    sum += difference * difference;
  if (record.elementType != asked.elementType)
    sum += otherType * otherType;
  for (bool differs : {record.aKContiguous != asked.aKContiguous,
                       record.bKContiguous != asked.bKContiguous})
    if (differs)
      sum += otherLayout * otherLayout;
  return std::sqrt(sum);
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
  for (Record &record : all)
    if (record.isSuccess() && record.timing.median > 0 &&
        record.timing.stage != TimingStage::Model)
      records.push_back({std::move(record), source});
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

/// Whether the record's configuration goes with what the user fixes, and is
/// legal then; `config` is set to it.
static bool isUsable(const Record &record, const ConfigRequest &request,
                     const ProblemInfo &asked, KernelConfig &config) {
  config = record.config;
  if (Error error = config.apply(request.overrides)) {
    consumeError(std::move(error));
    return false;
  }
  return findViolations(config, request.chip, asked).empty();
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
  KernelConfig config;
  for (const Entry &entry : records) {
    ProblemInfo info = entry.record.problem.getInfo();
    if (entry.record.platform.chip == request.chip.name &&
        isSameProduct(info, asked) && getDistance(info, asked) == 0 &&
        (!best || rank(entry) < rank(*best)) &&
        isUsable(entry.record, request, asked, config))
      best = &entry;
  }
  return best;
}

std::optional<RecordProvider::Estimate>
RecordProvider::estimate(const KernelConfig &config, const ChipInfo &chip,
                         const ProblemInfo &problem) const {
  auto fitted = constants.find(chip.name);
  // Of f32 there are kernels of one schedule only.
  if (fitted == constants.end() || problem.elementBits == 32)
    return Estimate{estimateTime(config, chip, problem), /*isFitted=*/false};
  if (!ModelConstants::covers(config.schedule))
    return std::nullopt;
  const ScheduleConstants &schedule = fitted->second.get(config.schedule);
  ModelFeatures features = getModelFeatures(config, chip, problem);
  return Estimate{estimateTime(features, schedule) / 1000, /*isFitted=*/true};
}

const RecordProvider::Entry *
RecordProvider::findPredicted(const ConfigRequest &request,
                              const ProblemInfo &asked) const {
  // Where the model has no constants of the chip, only sizes that are near.
  constexpr double maxDoublings = 2;
  const Entry *best = nullptr;
  double bestTime = 0;
  KernelConfig config;
  for (const Entry &entry : records) {
    const Record &record = entry.record;
    ProblemInfo info = record.problem.getInfo();
    if (record.platform.chip != request.chip.name ||
        info.elementBits != asked.elementBits)
      continue;
    config = record.config;
    if (Error error = config.apply(request.overrides)) {
      consumeError(std::move(error));
      continue;
    }
    std::optional<Estimate> there = estimate(record.config, request.chip, info),
                            here = estimate(config, request.chip, asked);
    if (!there || !here)
      continue;
    if (!here->isFitted && any_of(getDifferences(info, asked),
                                  [](double d) { return d > maxDoublings; }))
      continue;
    // The nearer the record, the more of the model's error there is one here.
    double weight = std::exp(-getDistance(info, asked));
    double time =
        here->time * std::pow(record.timing.median / there->time, weight);
    if ((best && time >= bestTime) || !isUsable(record, request, asked, config))
      continue;
    best = &entry;
    bestTime = time;
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
  if (!isKnown(asked))
    return std::nullopt;
  StringRef tier = "predicted";
  const Entry *best = findSame(request, asked);
  if (best)
    tier = isSameEpilogue(best->record.problem.getInfo(), asked) ? "exact"
                                                                 : "product";
  else
    best = findPredicted(request, asked);
  if (!best)
    return std::nullopt;
  const Record &record = best->record;
  name = ("records of " + sources[best->source] + ", " + tier + " " +
          record.problem.str() + " on " + record.platform.device)
             .str();
  answers.push_back(request.kernel + ": " + name);
  return record.config;
}

} // namespace tcgemm
