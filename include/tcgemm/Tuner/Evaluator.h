//===- Evaluator.h - Where the times of candidates come from ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates go in, records come out, several at a time and in any order. The
// engine compiles and runs them in other processes; a stored sweep answers at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_EVALUATOR_H
#define TCGEMM_TUNER_EVALUATOR_H

#include "tcgemm/Store/Store.h"

namespace tcgemm {

struct Evaluation {
  Record record;
  bool isResumed = false; ///< It was known already.
};

class Evaluator {
public:
  virtual ~Evaluator();

  /// Starts with another problem: nothing is outstanding.
  virtual llvm::Error begin(const TuningProblem &problem) = 0;
  /// How many candidates may be outstanding before more are of no use.
  virtual size_t getCapacity() const = 0;
  virtual llvm::Error submit(const KernelConfig &config) = 0;
  virtual size_t getOutstanding() const = 0;
  /// Waits for the next record. None if nothing is outstanding, or if the run
  /// was interrupted. An error is one of the whole run: no device, for example.
  virtual llvm::Expected<std::optional<Evaluation>> wait() = 0;
  /// Measures configurations that were successes again, interleaved; their new
  /// records in the same order.
  virtual llvm::Expected<std::vector<Record>>
  refine(llvm::ArrayRef<Record> finalists) = 0;
  /// What records are for.
  virtual const Platform &getPlatform() const = 0;
};

/// Answers from records, as if they were measured now.
class ReplayEvaluator : public Evaluator {
public:
  explicit ReplayEvaluator(std::vector<Record> records);
  ~ReplayEvaluator() override;

  llvm::Error begin(const TuningProblem &problem) override;
  size_t getCapacity() const override { return 1; }
  llvm::Error submit(const KernelConfig &config) override;
  size_t getOutstanding() const override;
  llvm::Expected<std::optional<Evaluation>> wait() override;
  llvm::Expected<std::vector<Record>>
  refine(llvm::ArrayRef<Record> finalists) override;
  const Platform &getPlatform() const override;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_EVALUATOR_H
