//===- Driver.h - The CUDA driver and the thread's device -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's functions, which are loaded on first use, and the scope of their
// calls.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_DRIVER_H
#define TCGEMM_LIB_GPURUNTIME_DRIVER_H

#include "CudaFunctions.h"
#include "Errors.h"

namespace tcgemm::gpu_runtime {

using cuda::Context, cuda::DeviceHandle, cuda::DevicePointer, cuda::Event,
    cuda::Function, cuda::LaunchConfigEx, cuda::ModuleHandle, cuda::Result,
    cuda::Stream;

// The symbols for dlsym, and parameters.
#define TCGEMM_DRIVER_FUNCTIONS(X)                                             \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_HOST_FUNCTIONS(X)

// An old or emulated driver may lack these functions.
#define TCGEMM_OPTIONAL_DRIVER_FUNCTIONS(X)                                    \
  TCGEMM_CUDA_NEW_FUNCTIONS(X)                                                 \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuMemAllocManaged, (DevicePointer *, size_t, unsigned))                    \
  X(cuMemHostRegister_v2, (void *, size_t, unsigned))                          \
  X(cuMemHostUnregister, (void *))

struct Driver {
#define TCGEMM_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_DRIVER_FUNCTIONS(TCGEMM_DECLARE)
  TCGEMM_OPTIONAL_DRIVER_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE

  /// Returns false and sets the thread's error unless `result` is success.
  bool check(Result result, const char *call, const char *log = "") const;
};

/// An open device.
struct OpenDevice {
  const Driver *driver = nullptr;
  DeviceHandle handle = 0;
  Context context = nullptr;
  bool hasMemoryPools = false;
};

/// Opens a device unless it is open. Returns null and sets an error on failure.
const OpenDevice *getDevice(int ordinal);
/// The same for the calling thread's device.
const OpenDevice *getThreadDevice();
void setThreadDevice(int ordinal);

/// Makes the thread's device current and restores the program's context at its
/// end. False if no call may be made.
class Scope {
public:
  /// Calls that free resources are made even if the thread has an error.
  enum Kind { Work, Release };
  explicit Scope(Kind kind = Work);
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  explicit operator bool() const { return device; }
  const Driver &getDriver() const { return *device->driver; }
  const OpenDevice &getDevice() const { return *device; }

private:
  const OpenDevice *device = nullptr;
};

/// One call within a Scope: `TCGEMM_CALL(scope, cuMemFree_v2, address)`.
#define TCGEMM_CALL(scope, function, ...)                                      \
  (scope).getDriver().check((scope).getDriver().function(__VA_ARGS__),         \
                            #function)

/// Conversions between pointers and the driver's addresses.
inline DevicePointer toDevice(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}
inline void *fromDevice(DevicePointer pointer) {
  return reinterpret_cast<void *>(pointer);
}

} // namespace tcgemm::gpu_runtime

#endif // TCGEMM_LIB_GPURUNTIME_DRIVER_H
