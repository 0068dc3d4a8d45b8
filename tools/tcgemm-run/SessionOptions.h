//===- SessionOptions.h - The options of a session --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSIONOPTIONS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSIONOPTIONS_H

#include "Cases.h"
#include "DeviceChoice.h"
#include "NumericsOptions.h"
#include "PtxOptions.h"
#include "Report.h"

#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Runtime/Benchmark.h"

namespace tcgemm {

/// The file of events, and the machine whose simulation is beside them.
struct TraceFileOptions {
  std::string file;    ///< Empty: no trace.
  std::string chart;   ///< The image; empty: none.
  std::string machine; ///< A file, a shipped one, or empty: the device's.
};

struct SessionOptions {
  std::string input; ///< A pack directory, an MLIR file, `-`, or empty.
  std::string given; ///< The options that say what to run, as they were given.
  GenerateOptions generate;
  CompileOptions compile;
  std::string savePack;
  ProblemOptions problem;
  std::vector<NamedProblem> problems;
  VerifyOptions verification;
  BenchmarkOptions benchmarkOptions;
  NumericsOptions numerics;
  DeviceChoice device;
  /// A given option for what an emulator alone can do; empty: none.
  std::string emulatorOption;
  TraceFileOptions trace;
  PtxOptions ptx;       ///< If the input is PTX.
  OutputFiles outputs;  ///< Arrays to write to files.
  std::string annotate; ///< File for profiled PTX; empty: none.
  double timeout = 0;
  int64_t planSMCount = 132;
  ReportFormat format = ReportFormat::Table;
  bool isList = false;  ///< The problems are those of a file.
  bool hasChip = false; ///< The chip was given; else it is the device's.
  bool verify = true, benchmark = false;

  /// The options of one of the problems.
  ProblemOptions getOptions(const NamedProblem &problem) const;
  /// The options of a problem that `given` does not state.
  ProblemOptions getFurther(ProblemOptions problem) const;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSIONOPTIONS_H
