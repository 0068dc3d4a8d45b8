//===- tcgemm-tune.cpp - The fastest kernel for a shape and a GPU --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ToolSetup.h"
#include "CommandLine.h"
#include "ExchangeFlags.h"
#include "SolveFlags.h"
#include "TrendFlags.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace tcgemm;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A limit on the size of files is an error of the write, not our end.
  std::signal(SIGXFSZ, SIG_IGN);
  setToolVersion();
  Flags flags;
  ExchangeFlags exchange(flags);
  SolveFlags solve(flags);
  TrendFlags trend(flags);
  cl::HideUnrelatedOptions({&flags.commands.problems, &flags.commands.spaces,
                            &flags.commands.search, &flags.commands.devices,
                            &flags.commands.cluster, &flags.commands.outputs});
  if (!parseCommandLine(argc, argv, getOverview(argc > 1 ? argv[1] : "")))
    return kExitBadInput;
  if (llvm::Error error = checkCommandFlags())
    return fail(std::move(error), kExitBadInput);
  if (flags.commands.bestCommand)
    return runBest(flags);
  if (flags.commands.explainCommand)
    return runExplain(flags);
  if (flags.commands.compareCommand)
    return runCompare(flags);
  if (flags.commands.dbCommand)
    return runDb(flags);
  if (flags.commands.doctorCommand)
    return runDoctor(flags);
  if (flags.commands.replayCommand)
    return runReplay(flags);
  if (flags.commands.fitCommand)
    return runFit(flags);
  if (flags.commands.logicCommand)
    return runLogic(flags);
  if (flags.commands.reportCommand)
    return runReport(exchange);
  if (flags.commands.exportCommand)
    return runExport(exchange);
  if (flags.commands.installCommand)
    return runInstall(flags);
  if (flags.commands.importCommand)
    return runImport(exchange);
  if (flags.commands.solveCommand)
    return runSolve(solve);
  if (flags.commands.trendCommand)
    return runTrend(trend);
  if (flags.commands.typesCommand)
    return runTypes(flags);
  if (flags.commands.launchCommand)
    return runLaunch(flags, argv[0]);
  if (flags.commands.statusCommand)
    return runStatus(flags);
  if (flags.space.listSpaces)
    return runListSpaces();
  if (flags.space.count)
    return runCount(flags);
  if (flags.space.list)
    return runList(flags);
  if (!flags.space.explain.empty())
    return runExplain(flags);
  return runTune(flags);
}
