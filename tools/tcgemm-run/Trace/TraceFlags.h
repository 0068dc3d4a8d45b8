//===- TraceFlags.h - Flags of traces ---------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFLAGS_H

#include "../../common/Numbers.h"
#include "../Categories.h"
#include "../SessionOptions.h"

namespace tcgemm {

struct TraceFlags {
  explicit TraceFlags(Categories &categories) : categories(categories) {}
  /// Errors: a file's name does not end in .json or .svg, the CTAs or the
  /// number of events are outside their ranges, or one of the other flags is
  /// given without --trace.
  llvm::Error read(SessionOptions &options) const;
  /// A given flag that is for the compiler; else nothing.
  std::string findCompiled() const {
    // A list has an operator & of its own.
    return findGivenFlag({std::addressof(ctas), &events});
  }

  Categories &categories;
  cl::opt<std::string> trace{
      "trace",
      cl::desc("Write what the roles of the kernel did, and when, for Perfetto "
               "or Chrome's about:tracing"),
      cl::value_desc("file.json"), cl::cat(categories.actions)};
  cl::opt<std::string> chart{
      "trace-chart", cl::desc("Draw the trace as an image, too"),
      cl::value_desc("file.svg"), cl::cat(categories.actions)};
  NumberList<int64_t> ctas{
      "trace-ctas",
      cl::desc("CTAs to trace; negative numbers count from the end of the grid "
               "(default: 0,-1)"),
      cl::CommaSeparated, cl::value_desc("cta,..."),
      cl::cat(categories.actions)};
  NumberOption<int64_t> events{
      "trace-events", cl::desc("Events of a role to keep (default: 4096)"),
      cl::init(TraceOptions().events), cl::value_desc("number"),
      cl::cat(categories.actions)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("Machine file for the simulated times beside a trace, or the "
               "name of a shipped one (default: that of the device)"),
      cl::value_desc("file.yaml"), cl::cat(categories.actions)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_TRACE_TRACEFLAGS_H
