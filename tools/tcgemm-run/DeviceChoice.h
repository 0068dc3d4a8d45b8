//===- DeviceChoice.h - Selection of the device -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads `--device=cuda:1` and options of the emulator. The default is CUDA if
// there is a device, or else the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H
#define TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H

#include "tcgemm/Runtime/EmulatorDevice.h"

namespace tcgemm {

struct DeviceChoice {
  enum Kind { Any, Cuda, Emulator };
  Kind kind = Any;
  unsigned ordinal = 0; ///< Index of a CUDA device.
  EmulatorOptions emulator;
};

/// Reads `cuda`, `cuda:N`, `N`, `emulator`, or nothing.
llvm::Expected<DeviceChoice> parseDevice(llvm::StringRef text);

/// Reads `all`, `none`, or names of checks, comma-separated.
llvm::Expected<emu::Checks> parseChecks(llvm::StringRef text);
/// The text of checks; `none` if there are none.
std::string formatChecks(const emu::Checks &checks);

/// Opens the device. `note` is the reason for the emulator if it is the
/// default.
llvm::Expected<std::unique_ptr<Device>> openDevice(const DeviceChoice &choice,
                                                   std::string &note);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_DEVICECHOICE_H
