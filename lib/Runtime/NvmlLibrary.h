//===- NvmlLibrary.h - The functions of libnvidia-ml.so ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the used part of NVML: names, numbers and layouts are those
// of its documented interface. The library is part of the driver. It is loaded
// at run time, never linked.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_NVMLLIBRARY_H
#define TCGEMM_LIB_RUNTIME_NVMLLIBRARY_H

#include "llvm/Support/Error.h"

#include <cstdint>

namespace tcgemm {
namespace nvml {

using Result = int;
using DeviceHandle = struct DeviceTag *;

enum : Result { Success = 0, InsufficientSize = 7 };
enum ClockType : int { SMClock = 1, MemoryClock = 2 };
enum TemperatureSensor : int { GPUTemperature = 0 };
/// The current power in milliwatts. nvmlDeviceGetPowerUsage returns the mean of
/// a second on most chips, which is longer than a candidate runs.
enum FieldId : unsigned { PowerInstant = 186 };
enum ValueType : int { UnsignedInt = 1 };

struct FieldValue {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;
  long long latency;
  int valueType;
  Result result;
  union {
    double real;
    unsigned number;
    unsigned long long large;
  } value;
};
static_assert(sizeof(FieldValue) == 40, "the library's layout");

struct ProcessInfo {
  unsigned process;
  unsigned long long memory; ///< Bytes; all ones if unknown.
  unsigned gpuInstance, computeInstance;
};
static_assert(sizeof(ProcessInfo) == 24, "the library's layout");

/// Functions of all supported versions of the library.
#define TCGEMM_NVML_FUNCTIONS(X)                                               \
  X(nvmlInit_v2, (void))                                                       \
  X(nvmlShutdown, (void))                                                      \
  X(nvmlSystemGetDriverVersion, (char *, unsigned))                            \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char *, DeviceHandle *))          \
  X(nvmlDeviceGetClockInfo, (DeviceHandle, int, unsigned *))                   \
  X(nvmlDeviceGetMaxClockInfo, (DeviceHandle, int, unsigned *))                \
  X(nvmlDeviceGetPowerUsage, (DeviceHandle, unsigned *))                       \
  X(nvmlDeviceGetEnforcedPowerLimit, (DeviceHandle, unsigned *))               \
  X(nvmlDeviceGetPowerManagementDefaultLimit, (DeviceHandle, unsigned *))      \
  X(nvmlDeviceGetTemperature, (DeviceHandle, int, unsigned *))                 \
  X(nvmlDeviceGetPersistenceMode, (DeviceHandle, int *))

/// Functions of newer versions, or with two possible names; null in other
/// versions.
#define TCGEMM_NVML_OPTIONAL_FUNCTIONS(X)                                      \
  X(nvmlDeviceGetCurrentClocksEventReasons,                                    \
    (DeviceHandle, unsigned long long *))                                      \
  X(nvmlDeviceGetCurrentClocksThrottleReasons,                                 \
    (DeviceHandle, unsigned long long *))                                      \
  X(nvmlDeviceGetFieldValues, (DeviceHandle, int, FieldValue *))               \
  X(nvmlDeviceGetComputeRunningProcesses_v3,                                   \
    (DeviceHandle, unsigned *, ProcessInfo *))

struct Library {
#define TCGEMM_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_NVML_FUNCTIONS(TCGEMM_DECLARE)
  TCGEMM_NVML_OPTIONAL_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
  const char *(*nvmlErrorString)(Result) = nullptr;

  /// Loads the library and initialises it. It is never unloaded.
  static llvm::Expected<Library> load(llvm::StringRef path);
  /// Success, or an error with the call and the library's text.
  llvm::Error check(Result result, llvm::StringRef call) const;
};

} // namespace nvml
} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_NVMLLIBRARY_H
