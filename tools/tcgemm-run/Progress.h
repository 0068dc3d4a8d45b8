//===- Progress.h - What long emulated launches show ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line on the terminal, and Ctrl-C.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_PROGRESS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_PROGRESS_H

#include "tcgemm/Runtime/EmulatorDevice.h"

#include <chrono>

namespace tcgemm {

/// Rewrites one line of stderr after two seconds. Shows nothing if stderr is
/// not a terminal.
class Progress : public LaunchWatcher {
public:
  Progress();
  void begin(llvm::StringRef kernel, uint64_t blocks) override;
  void update(uint64_t done, uint64_t total) override;
  void end() override;

private:
  using Clock = std::chrono::steady_clock;
  bool isTerminal;
  bool isShown = false;
  std::string kernel;
  Clock::time_point start, last;
};

/// The line's text: `gemm: block 12 of 96, 4 s, about 28 s to go`.
std::string formatProgress(llvm::StringRef kernel, uint64_t done,
                           uint64_t total, double seconds);

/// Set by Ctrl-C once catchInterrupts was called.
const std::atomic<bool> &getInterruptFlag();
/// Lets the first Ctrl-C set the flag; the second one kills, as always.
void catchInterrupts();

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_PROGRESS_H
