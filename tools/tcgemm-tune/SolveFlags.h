//===- SolveFlags.h - Flags of the solver -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SOLVEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SOLVEFLAGS_H

#include "../common/Numbers.h"
#include "Flags.h"
#include "tcgemm/Model/Tiling.h"

namespace tcgemm {

struct SolveFlags {
  explicit SolveFlags(Flags &shared) : shared(shared) {}

  Flags &shared;

  cl::list<std::string> shapes{cl::Positional, cl::desc("BxMxNxK or MxNxK ..."),
                               cl::OneOrMore, cl::cat(shared.commands.problems),
                               cl::sub(shared.commands.solveCommand)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("Speeds of the GPU: a file, or a shipped one (default: "
               "nvidia-h200)"),
      cl::init("nvidia-h200"),
      cl::value_desc("file|name"),
      cl::cat(shared.commands.devices),
      cl::sub(shared.commands.solveCommand)};
  cl::opt<TilingObjective, false, KeywordParser<TilingObjective>> objective{
      "objective",
      cl::desc("What is least (default: time)"),
      cl::values(
          clEnumValN(TilingObjective::Time, "time", "the time of the kernel"),
          clEnumValN(TilingObjective::Wait, "wait",
                     "the wait of the warps that multiply, over all "
                     "waves")),
      cl::init(TilingObjective::Time),
      cl::cat(shared.commands.search),
      cl::sub(shared.commands.solveCommand)};
  NumberOption<unsigned> tileLimit{
      "most-tile", cl::desc("The longest side of a tile (default: 256)"),
      cl::init(256), cl::cat(shared.commands.spaces),
      cl::sub(shared.commands.solveCommand)};
  NumberOption<unsigned> clusterLimit{
      "most-cluster",
      cl::desc("The most CTAs of a cluster along M or N (default: 1)"),
      cl::init(1), cl::cat(shared.commands.spaces),
      cl::sub(shared.commands.solveCommand)};
  NumberOption<unsigned> splitLimit{
      "most-split", cl::desc("The most slices of k (default: 1)"), cl::init(1),
      cl::cat(shared.commands.spaces), cl::sub(shared.commands.solveCommand)};
  NumberOption<double> timeLimit{
      "time-limit",
      cl::desc("Seconds for each shape; then the best so far is printed "
               "(default: 60)"),
      cl::init(60), cl::cat(shared.commands.search),
      cl::sub(shared.commands.solveCommand)};
  cl::opt<std::string> library{
      "z3", cl::desc("Z3's library (default: libz3.so.4)"),
      cl::value_desc("file"), cl::cat(shared.commands.search),
      cl::sub(shared.commands.solveCommand)};
  cl::opt<bool> check{
      "check",
      cl::desc("Simulate every legal tiling, too, and compare the results"),
      cl::cat(shared.commands.search), cl::sub(shared.commands.solveCommand)};
};

int runSolve(const SolveFlags &flags);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SOLVEFLAGS_H
