//===- TraceFlags.cpp - Flags of traces -----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFlags.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

Error TraceFlags::read(SessionOptions &options) const {
  if (!trace.getNumOccurrences()) {
    // A list has an operator & of its own.
    std::string given =
        findGivenFlag({&chart, std::addressof(ctas), &events, &machine});
    return given.empty() ? Error::success()
                         : llvm::createStringError(given + " needs --trace");
  }
  if (!StringRef(trace).ends_with(".json"))
    return llvm::createStringError("--trace: '" + trace +
                                   "' does not end in .json");
  if (chart.getNumOccurrences() && !StringRef(chart).ends_with(".svg"))
    return llvm::createStringError("--trace-chart: '" + chart +
                                   "' does not end in .svg");
  TraceOptions chosen;
  if (!ctas.empty())
    chosen.ctas.assign(ctas.begin(), ctas.end());
  chosen.events = events;
  if (Error error = chosen.check())
    return llvm::createStringError("--trace: " +
                                   llvm::toString(std::move(error)));
  options.trace.file = trace;
  options.trace.chart = chart;
  options.trace.machine = machine;
  options.compile.trace = chosen;
  return Error::success();
}
