//===- CalibrateFlags.h - Flags of a calibration ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_CALIBRATEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_CALIBRATEFLAGS_H

#include "Flags.h"

namespace tcgemm {

struct CalibrateFlags {
  explicit CalibrateFlags(Flags &shared) : shared(shared) {}

  Flags &shared;

  cl::opt<std::string> output{"o",
                              cl::desc("Where the machine file goes (default: "
                                       "standard output)"),
                              cl::init("-"),
                              cl::value_desc("file"),
                              cl::cat(shared.commands.outputs),
                              cl::sub(shared.commands.calibrateCommand)};
  cl::opt<bool> force{"force", cl::desc("Replace the file if there is one"),
                      cl::cat(shared.commands.outputs),
                      cl::sub(shared.commands.calibrateCommand)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("The most seconds of measurements, 1s to 3600s (default: 60s)"),
      cl::init("60s"),
      cl::value_desc("seconds"),
      cl::cat(shared.commands.search),
      cl::sub(shared.commands.calibrateCommand)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("The machine whose values stand in for those that cannot be "
               "measured: a file, or a shipped one (default: nvidia-h200)"),
      cl::init("nvidia-h200"),
      cl::value_desc("file|name"),
      cl::cat(shared.commands.devices),
      cl::sub(shared.commands.calibrateCommand)};
};

/// `command` is the command line, for the file.
int runCalibrate(const CalibrateFlags &flags, llvm::StringRef command);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_CALIBRATEFLAGS_H
