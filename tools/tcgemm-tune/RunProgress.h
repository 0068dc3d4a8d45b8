//===- RunProgress.h - One line for all devices of a run --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_RUNPROGRESS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_RUNPROGRESS_H

#include "tcgemm/Store/Record.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <functional>

namespace tcgemm {

/// The devices of a run have one line of the terminal in common:
/// `3/16 problems, 96/384 candidates, 2 failed, 41.0 s to go; cuda:1
/// 4096x4096x4096: 187.30 us`.
class RunProgress {
public:
  /// `numProblems`: of all devices.
  RunProgress(llvm::raw_ostream &err, std::function<unsigned()> getColumns,
              uint64_t numProblems)
      : err(err), getColumns(std::move(getColumns)), numProblems(numProblems) {}

  /// `total`: the candidates of the problem, 0 if unknown.
  void beginProblem(uint64_t total);
  void record(llvm::StringRef device, const Record &record, bool isResumed);
  void endProblem();
  /// Deletes the line, so that other text can be written.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  std::string format() const;

  llvm::raw_ostream &err;
  std::function<unsigned()> getColumns;
  uint64_t numProblems, begun = 0, ended = 0;
  uint64_t total = 0, done = 0, resumed = 0, failed = 0;
  std::string latest; ///< The device that was heard of last, with its success.
  Clock::time_point start = Clock::now(), shown = start;
  bool isShown = false;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_RUNPROGRESS_H
