//===- SearchFlags.h - Flags that say how to search -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SEARCHFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SEARCHFLAGS_H

#include "../common/Keywords.h"
#include "../common/Numbers.h"
#include "Commands.h"
#include "tcgemm/Tuner/Pruner.h"

namespace tcgemm {

/// The order and the end of a search.
struct SearchFlags {
  explicit SearchFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::opt<std::string> strategy{
      "strategy",
      cl::desc("The order of the search (--list-strategies; default: ranked)"),
      cl::init("ranked"),
      cl::value_desc("name"),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands)};
  cl::opt<bool> listStrategies{
      "list-strategies", cl::desc("Print the strategies, and end"),
      cl::cat(commands.search), cl::sub(commands.tuneCommands)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("When to stop with a problem: 30s, 200 (candidates), 5%, or "
               "several by commas"),
      cl::value_desc("limits"), cl::cat(commands.search),
      cl::sub(commands.tuneCommands)};
  NumberOption<uint64_t> seed{"seed",
                              cl::desc("Decides what is random (default: 1)"),
                              cl::init(1),
                              cl::cat(commands.search),
                              cl::sub(commands.tuneCommands),
                              cl::sub(commands.replayCommand)};
  NumberOption<unsigned> finalists{
      "finalists",
      cl::desc("The most that are timed again (0: none; default: 4)"),
      cl::init(4), cl::cat(commands.search), cl::sub(commands.tuneCommands)};
  cl::opt<std::string> model{
      "model",
      cl::desc(
          "What ranks: 'default', 'none', or constants from a file or a "
          "shipped one; for searches, replays and explain also a "
          "machine (*.machine.yaml) (default: the chip's shipped constants)"),
      cl::value_desc("file|name"),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.replayCommand),
      cl::sub(commands.fitCommand),
      cl::sub(commands.explainCommand)};
  cl::opt<PruneMode, false, KeywordParser<PruneMode>> prune{
      "prune",
      cl::desc("Which candidates are not compiled (default: none)"),
      cl::values(
          clEnumValN(PruneMode::None, "none", "all are"),
          clEnumValN(PruneMode::Sound, "sound",
                     "those whose lower bound exceeds the best time"),
          clEnumValN(PruneMode::Statistical, "statistical",
                     "also those whose predicted time less a margin does")),
      cl::init(PruneMode::None),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.replayCommand)};
  NumberOption<double> pruneQuantile{
      "prune-quantile",
      cl::desc("The part of the fast configurations of other problems that the "
               "margin keeps, 0.5 to 1 (default: 0.95)"),
      cl::init(0.95),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.replayCommand)};
  cl::list<std::string> pruneSweeps{
      "prune-sweeps",
      cl::desc("Records of other problems for the margin (default: shipped; in "
               "replay: the sweeps)"),
      cl::CommaSeparated,
      cl::value_desc("files"),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.replayCommand)};
  cl::opt<std::string> limits{
      "limits",
      cl::desc("Speeds that the GPU does not exceed: a file, or a shipped one "
               "(default: the chip's shipped ones)"),
      cl::value_desc("file|name"),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.replayCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SEARCHFLAGS_H
