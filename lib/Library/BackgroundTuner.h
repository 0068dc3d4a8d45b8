//===- BackgroundTuner.h - Tuning beside the program ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_BACKGROUNDTUNER_H
#define TCGEMM_LIB_LIBRARY_BACKGROUNDTUNER_H

#include "tcgemm/Store/Problems.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace tcgemm::library {

/// Tunes problems one after the other, by tcgemm-tune in a process of low
/// priority, with its results in a database. What fails is logged. Of all
/// processes that share the database, one tunes at a time.
class BackgroundTuner {
public:
  /// Answers in the tuner's thread.
  struct Callbacks {
    /// Returns whether the database has a problem by now.
    std::function<bool(const TuningProblem &)> isTuned;
    /// The problem was tuned, here or by another process, or cannot be.
    std::function<void(const TuningProblem &, bool isTuned)> finished;
  };

  /// `ordinal` is the driver's number of the device.
  BackgroundTuner(std::string database, int ordinal, Callbacks callbacks);
  /// Ends the process and forgets what is left to tune.
  ~BackgroundTuner();
  BackgroundTuner(const BackgroundTuner &) = delete;
  BackgroundTuner &operator=(const BackgroundTuner &) = delete;

  /// Tunes a problem, unless it was added before. Returns false if it has been
  /// finished.
  bool add(const TuningProblem &problem);
  /// Tunes a problem that the database does not have, in the calling thread.
  /// Errors: no file or folder, TCGEMM_FILE; the process fails, TCGEMM_TUNING.
  llvm::Error tune(const TuningProblem &problem);

private:
  void work();
  llvm::Error waitForLock(int file);
  llvm::Error run(const TuningProblem &problem);
  bool isStopped();

  const std::string database;
  const int ordinal;
  const Callbacks callbacks;
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  std::deque<TuningProblem> queue;
  /// The problems that were added, and whether they are finished.
  std::map<std::string, bool> known;
  std::thread thread; ///< Started with the first problem.
  int owner = 0;      ///< The process that has the thread.
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_BACKGROUNDTUNER_H
