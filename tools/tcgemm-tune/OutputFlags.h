//===- OutputFlags.h - Flags of databases and of what is shown --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_OUTPUTFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_OUTPUTFLAGS_H

#include "../common/Keywords.h"
#include "Commands.h"

namespace tcgemm {

enum class OutputStyle { Text, JSONLines };

/// Databases, and how results are printed.
struct OutputFlags {
  explicit OutputFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::opt<std::string> database{
      "db",
      cl::desc("The database (default: tcgemm-tune.db)"),
      cl::init("tcgemm-tune.db"),
      cl::value_desc("file"),
      cl::cat(commands.outputs),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.bestCommand),
      cl::sub(commands.explainCommand),
      cl::sub(commands.doctorCommand),
      cl::sub(commands.exportCommand),
      cl::sub(commands.importCommand),
      cl::sub(commands.compareCommand)};
  cl::opt<OutputStyle, false, KeywordParser<OutputStyle>> format{
      "format",
      cl::desc("How results are printed (default: text)"),
      cl::values(
          clEnumValN(OutputStyle::Text, "text", "for people"),
          clEnumValN(OutputStyle::JSONLines, "jsonl", "an object a line")),
      cl::init(OutputStyle::Text),
      cl::cat(commands.outputs),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.bestCommand),
      cl::sub(commands.compareCommand),
      cl::sub(commands.dbCommand),
      cl::sub(commands.doctorCommand),
      cl::sub(commands.replayCommand),
      cl::sub(commands.trendCommand),
      cl::sub(commands.typesCommand)};
  cl::opt<bool> markdown{"markdown", cl::desc("Print the table as Markdown"),
                         cl::cat(commands.outputs),
                         cl::sub(commands.typesCommand),
                         cl::sub(commands.tensileCommand)};
  cl::list<std::string> compared{
      cl::Positional, cl::desc("A.db B.db, or CONFIG CONFIG [MxNxK]"),
      cl::cat(commands.outputs), cl::OneOrMore,
      cl::sub(commands.compareCommand)};
  cl::list<std::string> dbArguments{
      cl::Positional, cl::desc("stats|verify|prune DB, or merge DB SOURCE..."),
      cl::cat(commands.outputs), cl::OneOrMore, cl::sub(commands.dbCommand)};
  cl::opt<bool> pruneVersions{
      "old-versions",
      cl::desc("prune: also what other versions of tcgemm made"),
      cl::cat(commands.outputs), cl::sub(commands.dbCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_OUTPUTFLAGS_H
