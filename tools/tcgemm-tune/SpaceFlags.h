//===- SpaceFlags.h - Flags that say which configurations -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SPACEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SPACEFLAGS_H

#include "Commands.h"

namespace tcgemm {

/// The configurations that a search may use.
struct SpaceFlags {
  explicit SpaceFlags(Commands &commands) : commands(commands) {}

  Commands &commands;
  cl::list<std::string> spaceNames{
      "space",
      cl::desc("A space's file, or a shipped one; several are searched "
               "together (default: the chip's quick ones)"),
      cl::value_desc("file|name"),
      cl::cat(commands.spaces),
      cl::CommaSeparated,
      cl::sub(commands.tuneCommands),
      cl::sub(commands.explainCommand),
      cl::sub(commands.replayCommand),
      cl::sub(commands.exportCommand)};
  cl::opt<bool> listSpaces{
      "list-spaces", cl::desc("Print the shipped spaces, and end"),
      cl::cat(commands.spaces), cl::sub(commands.tuneCommands)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Records whose answer is the first candidate: a file beside the "
               "shipped ones, shipped, or none (default: shipped; none with "
               "--space or a protocol)"),
      cl::value_desc("file|shipped|none"), cl::cat(commands.spaces),
      cl::sub(commands.tuneCommands)};
  cl::opt<bool> count{"count",
                      cl::desc("Print how many configurations are left after "
                               "each rule, and end"),
                      cl::cat(commands.spaces), cl::sub(commands.tuneCommands)};
  cl::opt<bool> list{"list",
                     cl::desc("Print the legal configurations, and end"),
                     cl::cat(commands.spaces), cl::sub(commands.tuneCommands)};
  cl::opt<std::string> explain{
      "explain", cl::desc("Say what forbids a configuration, and end"),
      cl::value_desc("config"), cl::cat(commands.spaces),
      cl::sub(commands.tuneCommands)};
  cl::list<std::string> explained{cl::Positional, cl::desc("CONFIG [MxNxK]"),
                                  cl::cat(commands.spaces), cl::OneOrMore,
                                  cl::sub(commands.explainCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SPACEFLAGS_H
