//===- LogicFlags.h - Flags of logic ----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_LOGICFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_LOGICFLAGS_H

#include "../common/Numbers.h"
#include "Commands.h"

namespace tcgemm {

/// Rules that are learned from records, for the command logic.
struct LogicFlags {
  explicit LogicFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::list<std::string> files{
      cl::Positional, cl::desc("DB|FILE.jsonl|shipped..."), cl::OneOrMore,
      cl::cat(commands.problems), cl::sub(commands.logicCommand)};
  NumberOption<unsigned> depth{
      "depth", cl::desc("The most comparisons of a decision tree (default: 8)"),
      cl::init(8), cl::cat(commands.search), cl::sub(commands.logicCommand)};
  NumberOption<unsigned> leafSizes{
      "leaf-sizes", cl::desc("The fewest sizes that share a leaf (default: 5)"),
      cl::init(5), cl::cat(commands.search), cl::sub(commands.logicCommand)};
  NumberOption<double> mostLoss{
      "most-loss",
      cl::desc("The most mean loss of a leaf's sizes; a leaf that loses more "
               "makes no choice (default: 1.06)"),
      cl::init(1.06), cl::cat(commands.search), cl::sub(commands.logicCommand)};
  NumberOption<unsigned> samples{
      "samples",
      cl::desc("Random sizes whose times a model estimates; with 0, rules are "
               "learned from records alone (default: 4000)"),
      cl::init(4000), cl::cat(commands.search), cl::sub(commands.logicCommand)};
  NumberOption<unsigned> formulas{
      "formulas",
      cl::desc("The most configurations that a rule compares by formulas "
               "(default: 80)"),
      cl::init(80), cl::cat(commands.search), cl::sub(commands.logicCommand)};
  cl::opt<bool> time{"time",
                     cl::desc("Measure lookups in the file that -o names"),
                     cl::cat(commands.outputs), cl::sub(commands.logicCommand)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Where the logic goes (default: standard output)"),
      cl::init("-"),
      cl::value_desc("file"),
      cl::cat(commands.outputs),
      cl::sub(commands.logicCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_LOGICFLAGS_H
