//===- KernelTrace.h - The events that a kernel wrote -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the trace of a program from a device's memory (tcgemm/Target/Trace.h).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_KERNELTRACE_H
#define TCGEMM_RUNTIME_KERNELTRACE_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Runtime/Timeline.h"
#include "tcgemm/Target/Trace.h"

namespace tcgemm {

struct TracedEvent {
  TraceEvent event;
  uint64_t clock;
};

/// A moment on both clocks: nanoseconds that all multiprocessors count, and
/// clocks of one.
struct ClockPair {
  uint64_t timer = 0, clock = 0;
};

/// A role of a CTA that has run.
struct TracedRole {
  std::string name; ///< `producer`, `consumer`, or `consumer 1` of several.
  int64_t cta = 0, processor = 0;
  ClockPair first, last;
  std::vector<TracedEvent> events; ///< In the order in which they happened.
  uint64_t missing = 0;            ///< Later events, for which no room was.
};

struct KernelTrace {
  TraceOptions options;          ///< With which the kernel was compiled.
  std::vector<TracedRole> roles; ///< By CTA, in the order of the list.
  int64_t ctas = 0;              ///< Of the grid.
  /// The chosen CTAs that the grid does not have.
  std::vector<int64_t> absent;

  uint64_t countMissing() const;
};

/// Returns whether the program writes a trace.
bool hasTrace(Module &module, llvm::StringRef program);
/// Empties the trace, so that it has the events of the next launch only.
llvm::Error clearTrace(Device &device, Module &module, llvm::StringRef program);
/// Reads what the last launch wrote, after its end. Errors: the program writes
/// no trace, or the memory does not hold one.
llvm::Expected<KernelTrace> readTrace(Device &device, Module &module,
                                      llvm::StringRef program);
/// The same from the words of the buffer.
llvm::Expected<KernelTrace> decodeTrace(const TraceLayout &layout,
                                        llvm::ArrayRef<uint64_t> words);

/// The rows of a trace. Times are from the first event of all. A CTA's clocks
/// become nanoseconds by the first and the last moment that it has on both
/// clocks.
std::vector<TimelineRow> getRows(const KernelTrace &trace);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_KERNELTRACE_H
