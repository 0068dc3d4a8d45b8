//===- DeviceFlags.cpp - Flags that say where to compile and run ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFlags.h"

#include "../common/FlagRange.h"
#include "tcgemm/Target/Chip.h"

using namespace tcgemm;
using llvm::Expected;

Expected<EngineOptions> DeviceFlags::readEngineOptions() const {
  EngineOptions options;
  options.device = device;
  unsigned ordinal = 0;
  llvm::StringRef number = device;
  // expandDevices checks the ordinals of a list.
  bool isList = number == "cuda:all" ||
                (number.starts_with("cuda:") && number.contains(','));
  bool isSimulated = number == kSimulatedDevice;
  if (number != "cuda" && number != "emulator" && !isSimulated && !isList &&
      (!number.consume_front("cuda:") || number.getAsInteger(10, ordinal)))
    return llvm::createStringError("--device: '" + device +
                                   "' is none of cuda, cuda:N, emulator");
  if (isList && (commands.doctorCommand || commands.compareCommand ||
                 commands.calibrateCommand || commands.validateCommand))
    return llvm::createStringError("--device: '" + device +
                                   "' names several devices, but this command "
                                   "uses one: cuda, cuda:N or emulator");
  if (!isSimulated && simulation.getNumOccurrences() > 0)
    return llvm::createStringError(
        "--simulation does not go with --device=" + device +
        "; it describes the device 'simulated'");
  Expected<SimulationOptions> simulated = SimulationOptions::parse(simulation);
  if (!simulated)
    return simulated.takeError();
  options.simulation = *simulated;
  options.chip = chip;
  if (!options.chip.empty())
    if (Expected<const ChipInfo &> known = lookupChip(options.chip); !known)
      return known.takeError();
  for (const NumberOption<double> *limit : {&compileTimeout, &launchTimeout})
    if (llvm::Error error = checkFlagRange(*limit, 0.001, kMostSeconds, " s"))
      return std::move(error);
  if (memoryLimit < 0)
    return llvm::createStringError("--memory-limit must not be negative");
  if (noCompile && compileOnly)
    return llvm::createStringError(
        "--no-compile does not go with --compile-only");
  options.mayCompile = !noCompile;
  options.compilers = jobs;
  options.compile.ptxasPath = ptxas;
  options.compile.allowSpills = allowSpills;
  options.compileTimeout = compileTimeout;
  options.launchTimeout = launchTimeout;
  options.memoryLimit = memoryLimit;
  return options;
}
