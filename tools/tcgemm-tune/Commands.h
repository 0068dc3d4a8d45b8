//===- Commands.h - The commands and the parts of the help ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDS_H

#include "llvm/Support/CommandLine.h"

namespace tcgemm {

namespace cl = llvm::cl;

/// The commands, groups of them that take the same flags, and the parts of the
/// help.
struct Commands {
  cl::SubCommand tuneCommand{"tune", "Tune problems (also without a command)"};
  cl::SubCommand bestCommand{"best", "Show the fastest configurations"};
  cl::SubCommand explainCommand{"explain",
                                "Show which rules forbid a configuration"};
  cl::SubCommand calibrateCommand{"calibrate",
                                  "Measure the GPU's speeds for the simulator"};
  cl::SubCommand compareCommand{"compare",
                                "Compare two databases, or two configurations"};
  cl::SubCommand dbCommand{"db", "Check, prune or merge databases"};
  cl::SubCommand doctorCommand{"doctor", "Check the machine for tuning"};
  cl::SubCommand replayCommand{"replay", "Try strategies on stored sweeps"};
  cl::SubCommand fitCommand{"fit", "Fit the model's constants to records"};
  cl::SubCommand logicCommand{"logic",
                              "Learn rules from sizes to configurations"};
  cl::SubCommand reportCommand{"report", "Write a page about all records"};
  cl::SubCommand exportCommand{"export", "Write records, spaces or kernels"};
  cl::SubCommand solveCommand{"solve",
                              "Find the best tiling under the simulator"};
  cl::SubCommand typesCommand{"types", "Show which types are multiplied"};
  cl::SubCommand launchCommand{"launch", "Start the tasks of a cluster's job"};
  cl::SubCommand statusCommand{"status", "Show the progress of a work list"};
  cl::SubCommand trendCommand{"trend", "Compare versions of tcgemm"};
  cl::SubCommand validateCommand{"validate",
                                 "Compare the simulator with measured times"};
  cl::SubCommand installCommand{"install",
                                "Tune typical sizes for this machine, once"};
  cl::SubCommand importCommand{
      "import", "Import records, or a benchmark file of Tensile"};
  cl::SubCommand tensileCommand{
      "tensile", "Show Tensile's parameters and those of tcgemm"};

  /// The commands that tune, and those that accept the description of a kernel.
  cl::SubCommandGroup tuneCommands{&tuneCommand, &cl::SubCommand::getTopLevel(),
                                   &installCommand};
  /// The commands that measure for the simulator.
  cl::SubCommandGroup machineCommands{&calibrateCommand, &validateCommand};
  cl::SubCommandGroup sizeCommands{&tuneCommand, &cl::SubCommand::getTopLevel(),
                                   &installCommand, &bestCommand,
                                   &exportCommand};
  cl::SubCommandGroup kernelCommands{
      &tuneCommand,    &cl::SubCommand::getTopLevel(),
      &installCommand, &bestCommand,
      &explainCommand, &exportCommand,
      &compareCommand, &importCommand,
      &solveCommand};

  cl::OptionCategory problems{"What to tune"};
  cl::OptionCategory spaces{"Which configurations"};
  cl::OptionCategory search{"How to search"};
  cl::OptionCategory devices{"Where to compile and run"};
  cl::OptionCategory cluster{"Many machines"};
  cl::OptionCategory outputs{"What is kept and shown"};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDS_H
