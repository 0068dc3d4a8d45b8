//===- Watchdog.h - Ends a process whose device hangs -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that never ends cannot be stopped from outside; the process that
// launched it can. This belongs to the tool: the library never exits.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_WATCHDOG_H
#define TCGEMM_TOOLS_TCGEMM_RUN_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tcgemm {

class Watchdog {
public:
  /// Allows `seconds` for each task; 0 for any length.
  explicit Watchdog(double seconds, const char *tool = "tcgemm-run");
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

  /// Starts the time limit of a task; `what` is printed if it expires.
  void start(std::string what);
  void stop();

private:
  void watch();

  double seconds;
  const char *tool; ///< Named in the message.
  std::mutex mutex;
  std::condition_variable changed;
  std::string task;
  std::chrono::steady_clock::time_point deadline;
  bool isArmed = false;
  bool isDone = false;
  std::thread thread;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_WATCHDOG_H
