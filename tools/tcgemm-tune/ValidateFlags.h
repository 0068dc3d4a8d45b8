//===- ValidateFlags.h - Flags of the simulator's validation ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_VALIDATEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_VALIDATEFLAGS_H

#include "../common/Numbers.h"
#include "Flags.h"

namespace tcgemm {

struct ValidateFlags {
  explicit ValidateFlags(Flags &shared) : shared(shared) {}

  Flags &shared;

  cl::opt<std::string> log{cl::Positional, cl::desc("LOG.csv"), cl::Required,
                           cl::cat(shared.commands.outputs),
                           cl::sub(shared.commands.validateCommand)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("The simulator's machine: a file, or a shipped one (default: "
               "nvidia-h200)"),
      cl::init("nvidia-h200"),
      cl::value_desc("file|name"),
      cl::cat(shared.commands.devices),
      cl::sub(shared.commands.validateCommand)};
  NumberOption<unsigned> most{
      "most",
      cl::desc("The most cases that this run measures (default: all; 0: none, "
               "only the table)"),
      cl::init(4096),
      cl::value_desc("cases"),
      cl::cat(shared.commands.search),
      cl::sub(shared.commands.validateCommand)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("The seconds after which no batch of cases starts, 1s to 36000s "
               "(default: 3600s)"),
      cl::init("3600s"),
      cl::value_desc("seconds"),
      cl::cat(shared.commands.search),
      cl::sub(shared.commands.validateCommand)};
  NumberOption<unsigned> worst{
      "worst",
      cl::desc("List so many cases with the largest errors of the simulator of "
               "kernels (default: 0)"),
      cl::init(0),
      cl::value_desc("cases"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.validateCommand)};
};

int runValidate(const ValidateFlags &flags);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_VALIDATEFLAGS_H
