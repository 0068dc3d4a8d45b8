//===- ReplayEvaluator.cpp - Times from a stored sweep -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Evaluator.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

using namespace llvm;

namespace tcgemm {

struct ReplayEvaluator::Implementation {
  /// By problem and configuration; the fastest of several platforms.
  StringMap<Record> records;
  Platform platform;
  std::string problem;
  std::deque<Evaluation> done;

  std::string getKey(const KernelConfig &config) const {
    return problem + "\n" + config.str();
  }
};

ReplayEvaluator::ReplayEvaluator(std::vector<Record> records)
    : implementation(std::make_unique<Implementation>()) {
  for (Record &record : records) {
    std::string key = record.problem.str() + "\n" + record.config.str();
    implementation->platform = record.platform;
    auto [entry, isNew] = implementation->records.try_emplace(key, record);
    const Record &known = entry->second;
    if (!isNew && record.isSuccess() &&
        (!known.isSuccess() || record.timing.median < known.timing.median))
      entry->second = std::move(record);
  }
}

ReplayEvaluator::~ReplayEvaluator() = default;

Error ReplayEvaluator::begin(const TuningProblem &problem) {
  implementation->problem = problem.str();
  implementation->done.clear();
  return Error::success();
}

Error ReplayEvaluator::submit(const KernelConfig &config) {
  auto entry = implementation->records.find(implementation->getKey(config));
  if (entry == implementation->records.end())
    return createStringError("the stored sweep of " + implementation->problem +
                             " has no record of " + config.str());
  implementation->done.push_back({entry->second, /*isResumed=*/false});
  return Error::success();
}

size_t ReplayEvaluator::getOutstanding() const {
  return implementation->done.size();
}

Expected<std::optional<Evaluation>> ReplayEvaluator::wait() {
  if (implementation->done.empty())
    return std::nullopt;
  Evaluation next = std::move(implementation->done.front());
  implementation->done.pop_front();
  return next;
}

Expected<std::vector<Record>>
ReplayEvaluator::refine(ArrayRef<Record> finalists) {
  return finalists.vec();
}

const Platform &ReplayEvaluator::getPlatform() const {
  return implementation->platform;
}

} // namespace tcgemm
