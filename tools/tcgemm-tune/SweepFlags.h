//===- SweepFlags.h - Flags of replay and fit -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPFLAGS_H

#include "../common/Numbers.h"
#include "Commands.h"

namespace tcgemm {

/// Stored sweeps, for the commands replay and fit.
struct SweepFlags {
  explicit SweepFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::list<std::string> without{"without",
                                cl::desc("Shapes whose records are left out"),
                                cl::CommaSeparated,
                                cl::value_desc("shapes"),
                                cl::cat(commands.search),
                                cl::sub(commands.fitCommand)};
  NumberOption<unsigned> folds{
      "folds",
      cl::desc("State losses by cross-validation with so many folds (default: "
               "0, losses of the data that are fitted)"),
      cl::init(0), cl::cat(commands.search), cl::sub(commands.fitCommand)};
  cl::opt<bool> losses{"losses",
                       cl::desc("List what the model's choice costs each "
                                "problem"),
                       cl::cat(commands.outputs), cl::sub(commands.fitCommand)};
  cl::list<std::string> strategies{"strategies",
                                   cl::desc("Strategies to try (default: all)"),
                                   cl::CommaSeparated,
                                   cl::value_desc("names"),
                                   cl::cat(commands.search),
                                   cl::sub(commands.replayCommand)};
  NumberOption<unsigned> seeds{
      "seeds",
      cl::desc("Runs of each strategy, with seeds that count up (default: 20)"),
      cl::init(20), cl::cat(commands.search), cl::sub(commands.replayCommand)};
  NumberList<unsigned> candidates{
      "candidates",
      cl::desc("After how many candidates to look (default: 1,2,4,8,16,32,60,"
               "120,240)"),
      cl::CommaSeparated,
      cl::value_desc("numbers"),
      cl::cat(commands.search),
      cl::sub(commands.replayCommand)};
  NumberOption<unsigned> outstanding{
      "outstanding",
      cl::desc("Candidates under way at a time: so many answers are late "
               "(default: 1)"),
      cl::init(1), cl::cat(commands.search), cl::sub(commands.replayCommand)};
  NumberOption<double> errorsWithin{
      "errors-within",
      cl::desc("Also compare the model's times with the stored ones, of the "
               "configurations that take at most so many times the optimum"),
      cl::value_desc("factor"),
      cl::init(0),
      cl::cat(commands.outputs),
      cl::sub(commands.replayCommand)};
  cl::list<std::string> sweepArguments{
      cl::Positional,
      cl::desc("DB|FILE.jsonl... [BxMxNxK or MxNxK ...]"),
      cl::cat(commands.problems),
      cl::OneOrMore,
      cl::sub(commands.replayCommand),
      cl::sub(commands.fitCommand)};
  cl::opt<std::string> outputFile{
      "o",
      cl::desc("Where the constants go (default: standard output)"),
      cl::init("-"),
      cl::value_desc("file"),
      cl::cat(commands.outputs),
      cl::sub(commands.fitCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPFLAGS_H
