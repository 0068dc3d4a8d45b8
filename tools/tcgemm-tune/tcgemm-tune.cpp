//===- tcgemm-tune.cpp - The fastest kernel for a shape and a GPU --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ToolSetup.h"
#include "CalibrateFlags.h"
#include "CommandLine.h"
#include "ExchangeFlags.h"
#include "SolveFlags.h"
#include "TrendFlags.h"
#include "ValidateFlags.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <functional>

using namespace tcgemm;

/// A list of configurations replaces the spaces that some flags are about.
static llvm::Error checkSpaceFlags(const Flags &flags) {
  for (auto [name, isGiven] :
       {std::pair("count", flags.space.count.getValue()),
        std::pair("list", flags.space.list.getValue()),
        std::pair("explain", flags.space.explain.getNumOccurrences() != 0)})
    if (isGiven && !flags.measurement.configs.empty())
      return llvm::createStringError("--configs does not go with --" +
                                     llvm::Twine(name));
  return llvm::Error::success();
}

/// Fails if --chip names an unknown one. Some commands take a list.
static llvm::Error checkChips(llvm::StringRef list) {
  if (list.empty())
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  for (llvm::StringRef name : names)
    if (llvm::Error error = lookupChip(name).takeError())
      return error;
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A limit on the size of files is an error of the write, not our end.
  std::signal(SIGXFSZ, SIG_IGN);
  setToolVersion();
  Flags flags;
  ExchangeFlags exchange(flags);
  SolveFlags solve(flags);
  CalibrateFlags calibrate(flags);
  TrendFlags trend(flags);
  ValidateFlags validate(flags);
  cl::HideUnrelatedOptions({&flags.commands.problems, &flags.commands.spaces,
                            &flags.commands.search, &flags.commands.devices,
                            &flags.commands.cluster, &flags.commands.outputs});
  if (!parseCommandLine(argc, argv, getOverview(argc > 1 ? argv[1] : ""),
                        getOverview))
    return kExitBadInput;
  if (llvm::Error error = checkCommandFlags())
    return fail(std::move(error), kExitBadInput);
  if (llvm::Error error = checkChips(flags.device.chip))
    return fail(std::move(error), kExitBadInput);
  const Commands &commands = flags.commands;
  const std::pair<const cl::SubCommand &, std::function<int()>> runs[] = {
      {commands.bestCommand, [&] { return runBest(flags); }},
      {commands.explainCommand, [&] { return runExplain(flags); }},
      {commands.calibrateCommand,
       [&] { return runCalibrate(calibrate, getCommandLine(argc, argv)); }},
      {commands.compareCommand, [&] { return runCompare(flags); }},
      {commands.dbCommand, [&] { return runDb(flags); }},
      {commands.doctorCommand, [&] { return runDoctor(flags); }},
      {commands.replayCommand, [&] { return runReplay(flags); }},
      {commands.fitCommand, [&] { return runFit(flags); }},
      {commands.logicCommand, [&] { return runLogic(flags); }},
      {commands.reportCommand, [&] { return runReport(exchange); }},
      {commands.exportCommand, [&] { return runExport(exchange); }},
      {commands.installCommand, [&] { return runInstall(flags); }},
      {commands.importCommand, [&] { return runImport(exchange); }},
      {commands.solveCommand, [&] { return runSolve(solve); }},
      {commands.trendCommand, [&] { return runTrend(trend); }},
      {commands.validateCommand, [&] { return runValidate(validate); }},
      {commands.typesCommand, [&] { return runTypes(flags); }},
      {commands.tensileCommand, [&] { return runTensile(flags); }},
      {commands.launchCommand, [&] { return runLaunch(flags, argv[0]); }},
      {commands.statusCommand, [&] { return runStatus(flags); }},
  };
  for (const auto &[command, run] : runs)
    if (command)
      return run();
  if (llvm::Error error = checkSpaceFlags(flags))
    return fail(std::move(error), kExitBadInput);
  if (flags.space.listSpaces)
    return runListSpaces();
  if (flags.space.count)
    return runCount(flags);
  if (flags.space.list)
    return runList(flags);
  if (flags.space.explain.getNumOccurrences())
    return runExplain(flags);
  return runTune(flags);
}
