//===- EngineDevice.cpp - The device of a search --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/EngineDevice.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

Expected<std::unique_ptr<Device>>
openEngineDevice(const EngineOptions &options) {
  StringRef name = options.device;
  if (name == "emulator") {
    EmulatorOptions emulator;
    if (!options.chip.empty())
      emulator.chip = options.chip;
    return openEmulator(emulator);
  }
  unsigned ordinal = 0;
  if (name != "cuda" &&
      (!name.consume_front("cuda:") || name.getAsInteger(10, ordinal)))
    return createStringError("device '" + options.device +
                             "' is none of cuda, cuda:N, emulator");
  return openDevice(ordinal);
}

std::string getDeviceChip(const DeviceProperties &properties) {
  std::string chip = "sm_" + std::to_string(properties.major) +
                     std::to_string(properties.minor);
  bool hasSpecific = any_of(getKnownChips(), [&](const ChipInfo &known) {
    return known.name == chip + "a";
  });
  return hasSpecific ? chip + "a" : chip;
}

} // namespace tcgemm
