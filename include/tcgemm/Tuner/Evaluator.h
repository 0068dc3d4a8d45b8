//===- Evaluator.h - Interface of evaluators of candidates ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An evaluator receives candidates and returns records, several at a time and
// in any order. The engine compiles and runs them in other processes. A stored
// sweep has their records already.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_EVALUATOR_H
#define TCGEMM_TUNER_EVALUATOR_H

#include "tcgemm/Store/Store.h"

namespace tcgemm {

struct Evaluation {
  Record record;
  bool isResumed = false; ///< The record existed before.
};

class Evaluator {
public:
  virtual ~Evaluator();

  /// Starts another problem. No candidate may be outstanding.
  virtual llvm::Error begin(const TuningProblem &problem) = 0;
  /// The maximum number of outstanding candidates that the evaluator can use.
  virtual size_t getCapacity() const = 0;
  virtual llvm::Error submit(const KernelConfig &config) = 0;
  virtual size_t getOutstanding() const = 0;
  /// Keeps the record of a candidate that is not to be tried. False if it was
  /// tried before, so that its result should be used. By default it keeps
  /// nothing.
  virtual llvm::Expected<bool> leaveOut(const Record &record) { return true; }
  /// Waits for the next record. None if no candidate is outstanding, or if the
  /// run was interrupted. An error concerns the whole run, for example a
  /// missing device.
  virtual llvm::Expected<std::optional<Evaluation>> wait() = 0;
  /// The next record if one is finished, without waiting. By default `wait`,
  /// for evaluators whose records are finished at once.
  virtual llvm::Expected<std::optional<Evaluation>> poll() { return wait(); }
  /// The fastest successes of the problem, at most `count`, that an earlier
  /// search measured completely but not in a final.
  virtual llvm::Expected<std::vector<Record>> getWithoutFinal(uint64_t count);
  /// Measures successful configurations again, interleaved. Returns their new
  /// records in the same order.
  virtual llvm::Expected<std::vector<Record>>
  refine(llvm::ArrayRef<Record> finalists) = 0;
  /// Starts `refine`. By default, it also waits for the records.
  virtual llvm::Error startRefinement(llvm::ArrayRef<Record> finalists);
  /// The records of the refinement that was started last, once, as soon as they
  /// are finished.
  virtual llvm::Expected<std::optional<std::vector<Record>>> pollRefinement();
  /// Adds the file descriptors that become readable when `poll` or
  /// `pollRefinement` may have progress.
  virtual void addDescriptors(std::vector<int> &descriptors) const {}
  /// The platform of the records.
  virtual const Platform &getPlatform() const = 0;

private:
  std::optional<std::vector<Record>> refined;
};

/// Waits until a descriptor is readable, but only for a short time because of
/// deadlines and interrupts.
void waitForInput(llvm::ArrayRef<int> descriptors);

/// Returns stored records as if they were measured now.
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
