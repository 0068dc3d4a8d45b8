//===- SessionDevice.h - The device of a session ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSIONDEVICE_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSIONDEVICE_H

#include "SessionContext.h"

namespace tcgemm {

/// Chooses and opens the device.
class SessionDevice {
public:
  explicit SessionDevice(SessionContext &context) : context(context) {}

  /// Opens the device, an emulator for `chip`. Returns an exit code.
  int open(const std::string &chip);
  /// Opens it again after a device error, with which the context is lost.
  /// Nothing may hold on to the old one. Returns an exit code.
  int reopen();
  /// Null before the device is open.
  Device *get() const { return device.get(); }
  Device &operator*() const { return *device; }
  Device *operator->() const { return device.get(); }

private:
  SessionContext &context;
  DeviceChoice choice; ///< With the chip.
  std::unique_ptr<Device> device;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSIONDEVICE_H
