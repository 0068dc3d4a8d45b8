//===- Session.h - What tcgemm-run does with a problem ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tool's options as a struct, and the runs over problems and cases. Exit
// codes are in ExitCodes.h.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H

#include "Cases.h"
#include "DeviceChoice.h"
#include "Progress.h"
#include "PtxOptions.h"
#include "Report.h"
#include "Watchdog.h"

#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Runtime/Benchmark.h"

#include <memory>

namespace tcgemm {

struct SessionOptions {
  std::string input; ///< A pack directory, an MLIR file, `-`, or empty.
  GenerateOptions generate;
  CompileOptions compile;
  bool hasChip = false; ///< The chip was given; else it is the device's.
  std::string savePack;
  ProblemOptions problem;
  std::vector<NamedProblem> problems;
  bool verify = true;
  VerifyOptions verification;
  bool benchmark = false;
  BenchmarkOptions benchmarkOptions;
  DeviceChoice device;
  /// A given option for what an emulator alone can do; empty: none.
  std::string emulatorOption;
  PtxOptions ptx;       ///< If the input is PTX.
  std::string annotate; ///< File for profiled PTX; empty: none.
  double timeout = 0;
  int64_t planSMCount = 132;
  ReportFormat format = ReportFormat::Table;
};

class Session {
public:
  Session(const SessionOptions &options, llvm::raw_ostream &out,
          llvm::raw_ostream &err)
      : options(options), out(out), err(err), reporter(options.format, out),
        watchdog(options.timeout) {}

  /// Each returns an exit code.
  int runProblems();
  int runCases(llvm::StringRef path);
  int printPlans();
  int runPtx();

private:
  /// A pack with its modules on the device.
  struct LoadedPack {
    KernelPack pack;
    std::unique_ptr<Executor> executor;
  };

  llvm::Expected<KernelPack> getPack(const NamedProblem &problem);
  bool hasOwnKernels() const;
  int checkInput();
  int openDevice(const std::string &chip);
  int reopenDevice();
  int fail(llvm::Error error, int code);
  int runOne(const NamedProblem &problem, LoadedPack &loaded);
  int runCase(const TestCase &test);
  llvm::Expected<LoadedPack *> load(const std::string &path);
  llvm::Error checkCost(const Problem &problem);
  int check(LoadedPack &loaded, Problem &problem, ProblemRecord &record);
  llvm::Error annotate(const Observations &observed);
  std::string getChip(llvm::StringRef packPath) const;
  bool isInterrupted() const { return getInterruptFlag(); }
  ProblemOptions getOptions(const NamedProblem &problem) const;

  const SessionOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
  Reporter reporter;
  Watchdog watchdog;
  DeviceChoice choice; ///< With the chip.
  bool hasAnnotated = false;
  std::unique_ptr<Device> device;
  std::map<std::string, std::unique_ptr<LoadedPack>> packs;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSION_H
