//===- DeviceFlags.h - Flags that say where to compile and run --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_DEVICEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_DEVICEFLAGS_H

#include "../common/Numbers.h"
#include "Commands.h"

#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// Compilers and the device.
struct DeviceFlags {
  explicit DeviceFlags(Commands &commands) : commands(commands) {}
  /// Everything of an engine but the seed. An error is bad input.
  llvm::Expected<EngineOptions> readEngineOptions() const;

  Commands &commands;
  cl::opt<std::string> device{
      "device",
      cl::desc("cuda, cuda:N or emulator (default: cuda); to tune, also "
               "cuda:N,N or cuda:all"),
      cl::init("cuda"),
      cl::value_desc("device"),
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.doctorCommand),
      cl::sub(commands.compareCommand),
      cl::sub(commands.machineCommands)};
  cl::opt<std::string> simulation{
      "simulation",
      cl::desc("For tests of the tuner: the device 'simulated', which executes "
               "nothing, as seed=1,ms=50,hang=0.001"),
      cl::value_desc("numbers"),
      cl::Hidden,
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("Compile what the search would run; needs no device"),
      cl::cat(commands.devices), cl::sub(commands.tuneCommands)};
  cl::opt<bool> noCompile{
      "no-compile",
      cl::desc("Run only what was compiled before, as by --compile-only"),
      cl::cat(commands.devices), cl::sub(commands.tuneCommands)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("Chip to compile for (default: the device's)"),
      cl::value_desc("sm_90a"),
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.typesCommand),
      cl::sub(commands.bestCommand),
      cl::sub(commands.explainCommand),
      cl::sub(commands.exportCommand),
      cl::sub(commands.compareCommand),
      cl::sub(commands.reportCommand),
      cl::sub(commands.importCommand)};
  NumberOption<unsigned> jobs{"jobs",
                              cl::desc("Compilers at a time (default: cores)"),
                              cl::init(0),
                              cl::cat(commands.devices),
                              cl::sub(commands.tuneCommands),
                              cl::sub(commands.compareCommand),
                              cl::sub(commands.machineCommands)};
  cl::opt<std::string> ptxas{"ptxas",
                             cl::desc("The ptxas to use"),
                             cl::value_desc("path"),
                             cl::cat(commands.devices),
                             cl::sub(commands.tuneCommands),
                             cl::sub(commands.doctorCommand),
                             cl::sub(commands.exportCommand),
                             cl::sub(commands.compareCommand),
                             cl::sub(commands.machineCommands)};
  cl::opt<bool> allowSpills{"allow-spills",
                            cl::desc("Accept kernels that spill registers"),
                            cl::cat(commands.devices),
                            cl::sub(commands.tuneCommands),
                            cl::sub(commands.exportCommand),
                            cl::sub(commands.compareCommand)};
  NumberOption<double> compileTimeout{
      "compile-timeout",
      cl::desc("Seconds for a candidate's compilation (default: 120)"),
      cl::init(120),
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.compareCommand)};
  NumberOption<double> launchTimeout{
      "launch-timeout",
      cl::desc("Seconds for a candidate on the device (default: 60)"),
      cl::init(60),
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.compareCommand)};
  NumberOption<int64_t> memoryLimit{
      "memory-limit",
      cl::desc("Bytes of the device that a candidate may use (default: all)"),
      cl::init(0),
      cl::cat(commands.devices),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.compareCommand)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_DEVICEFLAGS_H
