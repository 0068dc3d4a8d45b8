//===- EmulatorDevice.h - Kernels without a GPU -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device that executes PTX on the CPU and checks every access. It knows no
// time: nothing can be measured on it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_EMULATORDEVICE_H
#define TCGEMM_RUNTIME_EMULATORDEVICE_H

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Runtime/Device.h"

namespace tcgemm {

/// Is told how launches get on, for a display. Calls come from one thread at a
/// time, not always the same.
class LaunchWatcher {
public:
  virtual ~LaunchWatcher();
  virtual void begin(llvm::StringRef kernel, uint64_t blocks) = 0;
  virtual void update(uint64_t done, uint64_t total) = 0;
  virtual void end() = 0;
};

struct EmulatorOptions {
  std::string chip = "sm_90a"; ///< Whose limits and sizes the device has.
  int64_t smCount = 0;         ///< 0: as many as the chip.
  emu::Checks checks;
  bool profile = false;
  unsigned threads = 0;         ///< Of the host; 0: all.
  uint64_t maxInstructions = 0; ///< Of warps, a launch; 0: any number.
  LaunchWatcher *watcher = nullptr;
  /// Ends a launch; what it was doing is then an error.
  const std::atomic<bool> *cancel = nullptr;
};

/// An error: the chip is unknown.
llvm::Expected<std::unique_ptr<Device>>
openEmulator(const EmulatorOptions &options);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_EMULATORDEVICE_H
