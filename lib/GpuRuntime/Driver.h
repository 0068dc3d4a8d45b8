//===- Driver.h - The CUDA driver and the thread's device -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's functions, loaded on first use, and the scope in which calls of
// them are made.
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

// What dlsym is asked for, and parameters.
#define TCGEMM_DRIVER_FUNCTIONS(X)                                             \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_HOST_FUNCTIONS(X)

// A driver may be without these: it is too old, or emulated.
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

  /// False, and an error of the thread, unless `result` is success.
  bool check(Result result, const char *call, const char *log = "") const;
};

/// An open device.
struct OpenDevice {
  const Driver *driver = nullptr;
  DeviceHandle handle = 0;
  Context context = nullptr;
  bool hasMemoryPools = false;
};

/// Opens a device unless it is open. Null, and an error, if that fails.
const OpenDevice *getDevice(int ordinal);
/// The same of the calling thread's device.
const OpenDevice *getThreadDevice();
void setThreadDevice(int ordinal);

/// In its life the thread's device is current; a context of the program is
/// current again afterwards. False if no call may be made.
class Scope {
public:
  /// What frees something is done even if the thread has an error.
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

/// An address as the driver takes it, and back.
inline DevicePointer toDevice(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}
inline void *fromDevice(DevicePointer pointer) {
  return reinterpret_cast<void *>(pointer); // NOLINT(performance-no-int-to-ptr)
}

} // namespace tcgemm::gpu_runtime

#endif // TCGEMM_LIB_GPURUNTIME_DRIVER_H
