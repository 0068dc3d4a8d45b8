//===- RecordProvider.cpp - Configurations from records ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/RecordProvider.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// The farthest that sizes may be from those that were tuned.
constexpr double kMaxFactor = 2;

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

/// The length of the vector of the sizes' logarithms' differences; none if a
/// size is not known or too far away.
std::optional<double> getDistance(const ProblemInfo &record,
                                  const ProblemInfo &asked) {
  double sum = 0;
  for (auto [tuned, wanted] :
       {std::pair(record.m, asked.m), std::pair(record.n, asked.n),
        std::pair(record.k, asked.k), std::pair(record.batch, asked.batch)}) {
    if (wanted <= 0)
      return std::nullopt;
    double difference = std::log2(static_cast<double>(tuned)) -
                        std::log2(static_cast<double>(wanted));
    if (std::fabs(difference) > std::log2(kMaxFactor))
      return std::nullopt;
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

} // namespace

RecordProvider::RecordProvider(std::string source, std::vector<Record> all)
    : source(std::move(source)), isRead(true) {
  name = "records of " + this->source;
  keep(std::move(all));
}

RecordProvider::RecordProvider(std::string path)
    : path(std::move(path)),
      source(this->path.empty() ? "tcgemm" : this->path) {
  name = "records of " + source;
}

void RecordProvider::keep(std::vector<Record> all) {
  for (Record &record : all)
    if (record.isSuccess() && record.timing.median > 0 &&
        record.timing.stage != TimingStage::Model)
      records.push_back(std::move(record));
}

Error RecordProvider::prepare() {
  if (isRead)
    return Error::success();
  Expected<std::vector<Record>> all =
      path.empty() ? getShippedRecords() : readRecords(path);
  if (!all)
    return all.takeError();
  keep(std::move(*all));
  isRead = true;
  return Error::success();
}

std::vector<std::shared_ptr<RecordProvider>>
createRecordProviders(StringRef option) {
  std::vector<std::shared_ptr<RecordProvider>> providers;
  if (option == "none")
    return providers;
  if (!option.empty())
    providers.push_back(std::make_shared<RecordProvider>(option.str()));
  providers.push_back(std::make_shared<RecordProvider>(""));
  return providers;
}

std::optional<KernelConfig>
RecordProvider::lookup(const ConfigRequest &request) {
  ProblemInfo asked = request.problem;
  if (assumed)
    for (auto [size, value] :
         {std::pair(&asked.m, assumed->m), std::pair(&asked.n, assumed->n),
          std::pair(&asked.k, assumed->k),
          std::pair(&asked.batch, assumed->batch)})
      if (*size < 0)
        *size = value;
  const Record *best = nullptr;
  double bestDistance = 0;
  bool bestEpilogue = false;
  for (const Record &record : records) {
    ProblemInfo info = record.problem.getInfo();
    if (record.platform.chip != request.chip.name ||
        !isSameProduct(info, asked))
      continue;
    std::optional<double> distance = getDistance(info, asked);
    if (!distance)
      continue;
    bool isEpilogue = isSameEpilogue(info, asked);
    auto rank = std::make_tuple(*distance, !isEpilogue, record.timing.median);
    if (best && rank >= std::make_tuple(bestDistance, !bestEpilogue,
                                        best->timing.median))
      continue;
    // What the user fixes must go with the rest.
    KernelConfig config = record.config;
    if (Error error = config.apply(request.overrides)) {
      consumeError(std::move(error));
      continue;
    }
    if (!findViolations(config, request.chip, asked).empty())
      continue;
    best = &record;
    bestDistance = *distance;
    bestEpilogue = isEpilogue;
  }
  if (!best) {
    name = "records of " + source;
    return std::nullopt;
  }
  StringRef tier = bestDistance > 0 ? "nearest"
                   : bestEpilogue   ? "exact"
                                    : "product";
  name = ("records of " + source + ", " + tier + " " + best->problem.str() +
          " on " + best->platform.device)
             .str();
  answers.push_back(request.kernel + ": " + name);
  return best->config;
}

} // namespace tcgemm
