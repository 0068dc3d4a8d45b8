//===- DeviceMonitor.h - Clocks, power and limits of a GPU ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a GPU's state through NVML, which is loaded at run time. Without NVML
// there is no monitor; nothing else needs it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_DEVICEMONITOR_H
#define TCGEMM_RUNTIME_DEVICEMONITOR_H

#include "tcgemm/Target/DeviceState.h"

#include <memory>
#include <vector>

namespace tcgemm {

/// The name by which the system's loader finds NVML.
inline constexpr llvm::StringLiteral kNvmlLibrary = "libnvidia-ml.so.1";

/// Properties that do not change while a kernel runs. A value is absent if the
/// driver does not report it.
struct DeviceLimits {
  std::string driverVersion;                           ///< `580.65.06`.
  std::optional<int64_t> maxSMClock, maxMemoryClock;   ///< MHz.
  std::optional<double> powerLimit, defaultPowerLimit; ///< W.
  std::optional<bool> isPersistent; ///< The driver stays loaded when idle.
};

struct GPUProcess {
  int64_t id = 0;
  std::optional<int64_t> bytes; ///< Size of the device's memory.
};

class DeviceMonitor {
public:
  /// Opens the monitor of the GPU with that PCI address in the format of the
  /// CUDA driver (`0000:3B:00.0`). Errors: NVML is missing, or does not find
  /// the GPU.
  static llvm::Expected<std::unique_ptr<DeviceMonitor>>
  open(llvm::StringRef pciBusId, llvm::StringRef library = kNvmlLibrary);
  ~DeviceMonitor();
  DeviceMonitor(const DeviceMonitor &) = delete;
  DeviceMonitor &operator=(const DeviceMonitor &) = delete;

  /// Needs microseconds to milliseconds of CPU time.
  DeviceState sample() const;
  DeviceLimits getLimits() const;
  /// The processes that compute on the GPU, including this one. Nothing if the
  /// library is too old to list them or lacks the permission.
  std::optional<std::vector<GPUProcess>> getProcesses() const;

private:
  struct Implementation;
  explicit DeviceMonitor(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_DEVICEMONITOR_H
