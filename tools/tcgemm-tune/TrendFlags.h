//===- TrendFlags.h - Flags of the comparison of versions -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_TRENDFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_TRENDFLAGS_H

#include "../common/Numbers.h"
#include "Flags.h"

namespace tcgemm {

struct TrendFlags {
  explicit TrendFlags(Flags &shared) : shared(shared) {}

  Flags &shared;

  cl::list<std::string> sources{
      cl::Positional, cl::desc("DB|FILE.jsonl ..."), cl::OneOrMore,
      cl::cat(shared.commands.problems), cl::sub(shared.commands.trendCommand)};
  cl::opt<std::string> from{
      "from",
      cl::desc("The earlier version, or how it or its fingerprint begins "
               "(default: the one before --to)"),
      cl::value_desc("version"), cl::cat(shared.commands.problems),
      cl::sub(shared.commands.trendCommand)};
  cl::opt<std::string> to{
      "to", cl::desc("The later version (default: the latest of each device)"),
      cl::value_desc("version"), cl::cat(shared.commands.problems),
      cl::sub(shared.commands.trendCommand)};
  cl::opt<std::string> device{
      "device",
      cl::desc("Only devices whose name contains this (default: all)"),
      cl::value_desc("name"), cl::cat(shared.commands.problems),
      cl::sub(shared.commands.trendCommand)};
  NumberOption<double> threshold{
      "threshold",
      cl::desc("The smallest change that counts, in per cent (default: 2)"),
      cl::init(2),
      cl::value_desc("percent"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.trendCommand)};
  NumberOption<double> confidence{
      "confidence",
      cl::desc("The confidence of the intervals, in per cent (default: 95)"),
      cl::init(95),
      cl::value_desc("percent"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.trendCommand)};
};

int runTrend(const TrendFlags &flags);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_TRENDFLAGS_H
