//===- Report.h - How results are printed -----------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table for people, JSON lines or CSV for programs.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_REPORT_H
#define TCGEMM_TOOLS_TCGEMM_RUN_REPORT_H

#include "tcgemm/Runtime/Benchmark.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace tcgemm {

enum class ReportFormat { Table, JSON, CSV };

/// Everything known about one problem.
struct ProblemRecord {
  std::string tag;
  ProblemSizes sizes{};
  std::optional<RunResult> run;
  std::optional<BenchmarkReport> benchmark;
  Observations observed; ///< Observations of a launch that ended in an error.
  std::string error;     ///< Empty unless the problem could not be run.
  std::string reproduce; ///< A command line.
};

class Reporter {
public:
  Reporter(ReportFormat format, llvm::raw_ostream &os)
      : format(format), os(os) {}

  void printDevice(const DeviceProperties &properties, unsigned ordinal);
  void print(const ProblemRecord &record);

private:
  void printTable(const ProblemRecord &record);
  void printJSON(const ProblemRecord &record);
  void printCSV(const ProblemRecord &record);

  ReportFormat format;
  llvm::raw_ostream &os;
  bool hasHeader = false;
};

/// `pass`, `fail` or `error`; `ok` if nothing was checked.
llvm::StringRef getStatus(const ProblemRecord &record);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_REPORT_H
