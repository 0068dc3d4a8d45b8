//===- Progress.cpp - What long emulated launches show --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rate-limited: a launch may report thousands of blocks a second.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace tcgemm;

Progress::Progress() : isTerminal(isatty(STDERR_FILENO)) {}

void Progress::begin(llvm::StringRef name, uint64_t) {
  kernel = name.str();
  start = last = Clock::now();
}

void Progress::update(uint64_t done, uint64_t total) {
  Clock::time_point now = Clock::now();
  auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  if (!isTerminal || since(start) < 2 || (isShown && since(last) < 0.5))
    return;
  last = now;
  isShown = true;
  // Back to the first column, and delete to the end of the line.
  std::fprintf(stderr, "\r%s\033[K",
               formatProgress(kernel, done, total, since(start)).c_str());
  std::fflush(stderr);
}

void Progress::end() {
  if (isShown)
    std::fputs("\r\033[K", stderr);
  isShown = false;
}

static std::string formatSeconds(double seconds) {
  if (seconds < 120)
    return llvm::formatv("{0:f0} s", seconds);
  return llvm::formatv("{0:f0} min", seconds / 60);
}

std::string tcgemm::formatProgress(llvm::StringRef kernel, uint64_t done,
                                   uint64_t total, double seconds) {
  std::string text = llvm::formatv("{0}: block {1} of {2}, {3}", kernel, done,
                                   total, formatSeconds(seconds));
  if (done == 0)
    return text;
  double left =
      seconds / static_cast<double>(done) * static_cast<double>(total - done);
  return text + ", about " + formatSeconds(left) + " to go";
}

/// The only global variable of the tool, for the signal handler.
static std::atomic<bool> interrupted{false};

const std::atomic<bool> &tcgemm::getInterruptFlag() { return interrupted; }

void tcgemm::catchInterrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}
