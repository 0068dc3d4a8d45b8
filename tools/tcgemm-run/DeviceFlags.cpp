//===- DeviceFlags.cpp - Flags that say where to run ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFlags.h"

#include "../common/FlagRange.h"

using namespace tcgemm;
using llvm::Error;

Error DeviceFlags::read(SessionOptions &options) const {
  if (emulatorSMs.getNumOccurrences())
    if (Error error = checkFlagRange(emulatorSMs, 1, 65536))
      return error;
  llvm::Expected<DeviceChoice> choice = parseDevice(device);
  if (!choice)
    return choice.takeError();
  llvm::Expected<emu::Checks> parsed = parseChecks(checks);
  if (!parsed)
    return parsed.takeError();
  options.device = std::move(*choice);
  EmulatorOptions &emulator = options.device.emulator;
  emulator.checks = *parsed;
  emulator.profile = profile || !annotate.empty();
  emulator.threads = emulatorThreads;
  emulator.smCount = emulatorSMs;
  emulator.maxInstructions = maxInstructions;
  options.annotate = annotate;
  options.emulatorOption = findGivenFlag({&profile, &annotate, &checks});
  return Error::success();
}
