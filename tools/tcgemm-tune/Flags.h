//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands and flags, and how they become the library's options.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H

#include "ClusterFlags.h"
#include "DeviceFlags.h"
#include "ExitCodes.h"
#include "LogicFlags.h"
#include "MeasurementFlags.h"
#include "OutputFlags.h"
#include "ProblemFlags.h"
#include "SearchFlags.h"
#include "SpaceFlags.h"
#include "SweepFlags.h"

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Engine.h"
#include "tcgemm/Tuner/Tuner.h"

namespace tcgemm {

/// All flags, made in main: the tool has no global state but what a signal
/// handler needs.
struct Flags {
  Commands commands;
  ProblemFlags problem{commands};
  SpaceFlags space{commands};
  SearchFlags search{commands};
  SweepFlags sweep{commands};
  LogicFlags logic{commands};
  DeviceFlags device{commands};
  MeasurementFlags measurement{commands};
  ClusterFlags cluster{commands};
  OutputFlags output{commands};
};

/// Each makes the library's options of flags. Errors are bad input.
/// None is an error unless `mayBeNone`.
llvm::Expected<std::vector<TuningProblem>> readProblems(const Flags &flags,
                                                        bool mayBeNone = false);
/// The same with `shapes` in the place of the arguments.
llvm::Expected<std::vector<TuningProblem>>
readProblemsOf(const Flags &flags, llvm::ArrayRef<std::string> shapes,
               bool mayBeNone);
/// None if no shape is given.
llvm::Expected<std::vector<TuningProblem>>
readGivenProblems(const Flags &flags);
/// Returns whether an argument names a module instead of a shape.
bool isModule(llvm::StringRef text);
/// The names of the spaces of --space; by default those of the protocol, or of
/// the chip for such products.
std::vector<std::string> getSpaceNames(const Flags &flags, const ChipInfo &chip,
                                       const MatmulKind &kind,
                                       const ProtocolRun *run = nullptr);
llvm::Expected<std::vector<Space>>
readSpaces(llvm::ArrayRef<std::string> names);
llvm::Expected<StrategyOptions> readStrategyOptions(const Flags &flags);
/// Sets the protocol in `options` if `name` is not a strategy but a file or a
/// shipped protocol. Errors: it is neither.
llvm::Error setStrategy(StrategyOptions &options, llvm::StringRef name);
llvm::Expected<TunerOptions> readTunerOptions(const Flags &flags);
llvm::Expected<EngineOptions> readEngineOptions(const Flags &flags);

/// Prints `tcgemm-tune: error: ...`, and returns `code`.
int fail(llvm::Error error, int code);

/// The commands; each returns an exit code.
int runTune(const Flags &flags);
int runCount(const Flags &flags);
int runList(const Flags &flags);
int runListSpaces();
int runExplain(const Flags &flags);
int runBest(const Flags &flags);
int runCompare(const Flags &flags);
int runDb(const Flags &flags);
int runDoctor(const Flags &flags);
int runReplay(const Flags &flags);
int runFit(const Flags &flags);
int runLogic(const Flags &flags);
int runTypes(const Flags &flags);
/// `program` is the path of tcgemm-tune, for the script.
int runLaunch(const Flags &flags, const char *program);
int runStatus(const Flags &flags);
int runInstall(const Flags &flags);

/// Writes a file, or standard output for `-`; completely or not at all.
int writeOutput(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H
