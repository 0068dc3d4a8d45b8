//===- RunProgress.cpp - One line for all devices of a run ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgress.h"
#include "Screen.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tcgemm;
using llvm::formatv;

void RunProgress::beginProblem(uint64_t count) {
  ++begun;
  total += count;
}

void RunProgress::endProblem() { ++ended; }

void RunProgress::record(llvm::StringRef device, const Record &record,
                         bool isResumed) {
  ++done;
  resumed += isResumed;
  failed += !record.isSuccess() && record.outcome != Outcome::Pruned;
  if (record.isSuccess() && record.timing.median > 0)
    latest = formatv("; {0} {1}: {2:f2} us", device, record.problem.sizes.str(),
                     record.timing.median);
  constexpr std::chrono::milliseconds pause(100);
  if (Clock::now() - shown < pause)
    return;
  shown = Clock::now();
  unsigned columns = getColumns();
  // To the first column; deletes the rest of a longer line. A line that wraps
  // would not be replaced by the next.
  err << '\r'
      << llvm::StringRef(format()).take_front(columns > 0 ? columns - 1 : 0)
      << "\033[K";
  err.flush();
  isShown = true;
}

std::string RunProgress::format() const {
  // Problems that no device has begun have as many candidates as others.
  uint64_t all = begun > 0 ? total * numProblems / begun : total;
  all = std::max(all, done);
  std::string line = formatv("{0}/{1} problems, {2}/{3} candidates", ended,
                             numProblems, done, all);
  if (failed > 0)
    line += formatv(", {0} failed", failed);
  if (done > resumed) {
    double seconds = std::chrono::duration<double>(shown - start).count();
    line += ", " +
            formatSeconds(seconds / static_cast<double>(done - resumed) *
                          static_cast<double>(all - done)) +
            " to go";
  }
  return line + latest;
}

void RunProgress::clear() {
  if (isShown)
    err << "\r\033[K";
  isShown = false;
}
