//===- MeasurementFlags.h - Flags that say how to measure -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_MEASUREMENTFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_MEASUREMENTFLAGS_H

#include "../common/Keywords.h"
#include "Commands.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// How long a candidate is measured.
enum class MeasurementEffort { Usual, Quick };

/// Which configurations are measured at which cost.
struct MeasurementFlags {
  explicit MeasurementFlags(Commands &commands) : commands(commands) {}

  /// The timing that the flags ask for, with the usual seed.
  TimingOptions getTiming() const;
  /// The configurations of --configs; none without the flag. Errors: the file
  /// cannot be read, has no configuration, or a line is none; they name the
  /// line.
  llvm::Expected<std::vector<KernelConfig>> readConfigs() const;

  Commands &commands;
  cl::opt<MeasurementEffort, false, KeywordParser<MeasurementEffort>> effort{
      "measure",
      cl::desc("How long a candidate is measured (default: usual)"),
      cl::values(
          clEnumValN(MeasurementEffort::Usual, "usual",
                     "3 to 9 chains of 2 ms, until the time is known to 0.5 %"),
          clEnumValN(MeasurementEffort::Quick, "quick",
                     "1 or 2 chains of 1 ms: for many kernels of many sizes")),
      cl::init(MeasurementEffort::Usual),
      cl::cat(commands.search),
      cl::sub(commands.tuneCommands)};
  cl::opt<std::string> configs{
      "configs",
      cl::desc("A file with a configuration a line: each problem is measured "
               "with these only, in place of a search of spaces"),
      cl::value_desc("file"), cl::cat(commands.spaces),
      cl::sub(commands.tuneCommands)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_MEASUREMENTFLAGS_H
