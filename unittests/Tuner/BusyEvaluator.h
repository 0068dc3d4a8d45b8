//===- BusyEvaluator.h - An evaluator with several candidates ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_TUNER_BUSYEVALUATOR_H
#define TCGEMM_UNITTESTS_TUNER_BUSYEVALUATOR_H

#include "TunerTestUtils.h"
#include "tcgemm/Tuner/Tuner.h"

namespace tcgemm {

/// Takes several candidates at a time, and answers the latest or the first of
/// them first.
class BusyEvaluator : public ReplayEvaluator {
public:
  BusyEvaluator(std::vector<Record> records, bool latestFirst)
      : ReplayEvaluator(std::move(records)), latestFirst(latestFirst) {}

  size_t getCapacity() const override { return 6; }
  size_t getOutstanding() const override { return answers.size(); }
  llvm::Error submit(const KernelConfig &config) override {
    submitted.push_back(config.str());
    if (llvm::Error error = ReplayEvaluator::submit(config))
      return error;
    answers.push_back(*unwrap(ReplayEvaluator::wait()));
    return llvm::Error::success();
  }
  llvm::Expected<std::optional<Evaluation>> wait() override {
    if (answers.empty())
      return std::nullopt;
    auto next = latestFirst ? std::prev(answers.end()) : answers.begin();
    Evaluation answer = std::move(*next);
    answers.erase(next);
    return answer;
  }

  std::vector<std::string> submitted;

private:
  bool latestFirst;
  std::vector<Evaluation> answers;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_TUNER_BUSYEVALUATOR_H
