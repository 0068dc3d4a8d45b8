//===- EmulatorDevice.h - Kernels without a GPU -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device that executes PTX on the CPU and checks every access. It has no
// clock, so that nothing can be measured on it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_EMULATORDEVICE_H
#define TCGEMM_RUNTIME_EMULATORDEVICE_H

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Runtime/Device.h"

namespace tcgemm {

/// Receives the progress of launches, for a display. The functions are called
/// from one thread at a time, but not always from the same one.
class LaunchWatcher {
public:
  virtual ~LaunchWatcher();
  virtual void begin(llvm::StringRef kernel, uint64_t blocks) = 0;
  virtual void update(uint64_t done, uint64_t total) = 0;
  virtual void end() = 0;
};

struct EmulatorOptions {
  std::string chip = "sm_90a"; ///< Determines limits and sizes.
  int64_t smCount = 0;         ///< 0: the chip's number.
  emu::Checks checks;
  bool profile = false;
  unsigned threads = 0; ///< Host threads; 0: one for each core.
  uint64_t maxInstructions =
      0; ///< Limit of warp instructions of a launch; 0: none.
  LaunchWatcher *watcher = nullptr;
  /// Set to end the current launch, which then returns an error.
  const std::atomic<bool> *cancel = nullptr;
};

/// Errors: the chip is unknown.
llvm::Expected<std::unique_ptr<Device>>
openEmulator(const EmulatorOptions &options);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_EMULATORDEVICE_H
