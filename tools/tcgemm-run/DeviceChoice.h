//===- DeviceChoice.h - Which device, and how it is opened ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--device=cuda:1`, and what the emulator is told. Without a choice: CUDA if
// there is a device, else the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H
#define TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H

#include "tcgemm/Runtime/EmulatorDevice.h"

namespace tcgemm {

struct DeviceChoice {
  enum Kind { Any, Cuda, Emulator };
  Kind kind = Any;
  unsigned ordinal = 0; ///< Of a CUDA device.
  EmulatorOptions emulator;
};

/// Reads `cuda`, `cuda:N`, `N`, `emulator`, or nothing.
llvm::Expected<DeviceChoice> parseDevice(llvm::StringRef text);

/// Reads `all`, `none`, or names of checks, comma-separated.
llvm::Expected<emu::Checks> parseChecks(llvm::StringRef text);
/// The way back; `none` if there are none.
std::string formatChecks(const emu::Checks &checks);

/// Opens the device. `note` is why it is the emulator if nothing was chosen.
llvm::Expected<std::unique_ptr<Device>> openDevice(const DeviceChoice &choice,
                                                   std::string &note);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H
