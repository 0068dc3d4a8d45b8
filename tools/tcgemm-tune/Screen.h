//===- Screen.h - Output of a run -------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are written to standard output and progress to standard error: a bar
// on a terminal, occasional lines elsewhere. As JSON lines, all events are
// written to standard output.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SCREEN_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SCREEN_H

#include "RunProgress.h"
#include "tcgemm/Tuner/Tuner.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <functional>

namespace tcgemm {

/// `best 187.3 us, 733 TFLOP/s`; a model's time is called one.
std::string formatTime(const Record &record);
/// `1755 MHz, 612 W, 61 C, throttled: power cap, 1.20 TFLOP/s per W`. Unknown
/// values are omitted; the text may be empty.
std::string formatState(const Record &record);
/// The parameters that differ from the defaults.
std::string formatConfig(const KernelConfig &config);
std::string formatSeconds(double seconds);
/// `4 groups of 37 to 38 rows`, as candidates are measured; empty for products
/// without groups.
std::string formatGroups(const TuningProblem &problem);

class TextScreen : public TuningObserver {
public:
  /// `getColumns` is the width of the terminal that `err` is, which may change;
  /// null: it is none. `device` is shown if the run has several. These share
  /// `run`, which has the line of the terminal; null: there is none.
  TextScreen(llvm::raw_ostream &out, llvm::raw_ostream &err,
             std::function<unsigned()> getColumns, std::string device = "",
             std::shared_ptr<RunProgress> run = nullptr)
      : out(out), err(err), getColumns(std::move(getColumns)),
        isTerminal(this->getColumns != nullptr), device(std::move(device)),
        run(std::move(run)) {}

  void beginProblem(const TuningProblem &problem, uint64_t index,
                    uint64_t numProblems, uint64_t total) override;
  void skipProblem(const TuningProblem &problem, uint64_t index,
                   uint64_t numProblems) override;
  void record(const Record &record, bool isResumed) override;
  void prune(const Record &record, const Pruning &pruning) override;
  void beginFinal(llvm::ArrayRef<Record> finalists) override;
  void endProblem(const TuningResult &result) override;
  void loseDevice(llvm::StringRef failure) override;

private:
  using Clock = std::chrono::steady_clock;
  void showProgress();
  void showLine(llvm::StringRef line);
  std::string formatProgress(unsigned barWidth, bool isShort) const;
  std::string fitProgress(unsigned columns) const;
  void clear();

  llvm::raw_ostream &out, &err;
  std::function<unsigned()> getColumns;
  bool isTerminal, isShown = false;
  std::string device;
  std::shared_ptr<RunProgress> run;
  TuningProblem problem;
  std::string number, prefix; ///< `[1/3]`, and with the problem.
  std::string throttling;     ///< Throttling of the latest candidate.
  uint64_t total = 0, done = 0, resumed = 0, failed = 0, pruned = 0;
  Clock::time_point start, shown;
  std::optional<Record> best;
};

class JSONScreen : public TuningObserver {
public:
  /// `device` is a member of all events if the run has several.
  explicit JSONScreen(llvm::raw_ostream &out, std::string device = "")
      : out(out), device(std::move(device)) {}

  void beginProblem(const TuningProblem &problem, uint64_t index,
                    uint64_t numProblems, uint64_t total) override;
  void skipProblem(const TuningProblem &problem, uint64_t index,
                   uint64_t numProblems) override;
  void record(const Record &record, bool isResumed) override;
  void prune(const Record &record, const Pruning &pruning) override;
  void beginFinal(llvm::ArrayRef<Record> finalists) override;
  void endProblem(const TuningResult &result) override;
  void loseDevice(llvm::StringRef failure) override;

private:
  void print(llvm::json::Object event);
  llvm::raw_ostream &out;
  std::string device;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SCREEN_H
