//===- CudaDriver.h - The CUDA driver by dlopen -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of the part of the driver API that is used, and a table of
// its functions, filled from libcuda.so.1: building needs no CUDA toolkit, and
// running on a machine without a driver gives an error instead of a failure to
// start.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUDADRIVER_H
#define TCGEMM_LIB_RUNTIME_CUDADRIVER_H

#include "../GpuRuntime/CudaTypes.h"
#include "tcgemm/Runtime/Device.h"

#include "llvm/Support/Error.h"

namespace tcgemm {
namespace cuda {

// Name in the library and parameter types of every function.
#define TCGEMM_CUDA_FUNCTIONS(X)                                               \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (Result, const char **))                                   \
  X(cuGetErrorString, (Result, const char **))                                 \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (DeviceHandle *, int))                                        \
  X(cuDeviceGetName, (char *, int, DeviceHandle))                              \
  X(cuDeviceGetAttribute, (int *, int, DeviceHandle))                          \
  X(cuDeviceTotalMem_v2, (size_t *, DeviceHandle))                             \
  X(cuDeviceGetPCIBusId, (char *, int, DeviceHandle))                          \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceHandle))                       \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                              \
  X(cuCtxSetCurrent, (Context))                                                \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(cuMemFree_v2, (DevicePointer))                                             \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))             \
  X(cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))      \
  X(cuMemsetD32Async, (DevicePointer, unsigned, size_t, Stream))               \
  X(cuModuleLoadDataEx,                                                        \
    (ModuleHandle *, const void *, unsigned, int *, void **))                  \
  X(cuModuleUnload, (ModuleHandle))                                            \
  X(cuModuleGetFunction, (Function *, ModuleHandle, const char *))             \
  X(cuFuncSetAttribute, (Function, int, int))                                  \
  X(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned,         \
                     unsigned, unsigned, unsigned, Stream, void **, void **))  \
  X(cuStreamCreate, (Stream *, unsigned))                                      \
  X(cuStreamDestroy_v2, (Stream))                                              \
  X(cuStreamSynchronize, (Stream))                                             \
  X(cuStreamBeginCapture_v2, (Stream, int))                                    \
  X(cuStreamEndCapture, (Stream, GraphHandle *))                               \
  X(cuGraphInstantiateWithFlags,                                               \
    (GraphExec *, GraphHandle, unsigned long long))                            \
  X(cuGraphLaunch, (GraphExec, Stream))                                        \
  X(cuGraphDestroy, (GraphHandle))                                             \
  X(cuGraphExecDestroy, (GraphExec))                                           \
  X(cuEventCreate, (Event *, unsigned))                                        \
  X(cuEventDestroy_v2, (Event))                                                \
  X(cuEventRecord, (Event, Stream))                                            \
  X(cuEventSynchronize, (Event))                                               \
  X(cuEventElapsedTime, (float *, Event, Event))

/// The functions of the driver, loaded and initialised.
struct Driver {
#define TCGEMM_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_CUDA_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
  /// Absent from drivers older than CUDA 11.8; only clusters need it, and
  /// dependent launches use it.
  Result (*cuLaunchKernelEx)(const LaunchConfigEx *, Function, void **,
                             void **) = nullptr;

  /// Absent from drivers older than CUDA 12; only tensor maps need it. The
  /// parameters: map, type, rank, address, dims, strides, box, element strides,
  /// interleave, swizzle, L2 promotion, fill.
  Result (*cuTensorMapEncodeTiled)(void *, int, uint32_t, void *,
                                   const uint64_t *, const uint64_t *,
                                   const uint32_t *, const uint32_t *, int, int,
                                   int, int) = nullptr;

  /// Loads libcuda.so.1 and calls cuInit. The library stays loaded.
  static llvm::Expected<Driver> load();

  /// Success, or an error with the call, the error's name and its text.
  llvm::Error check(Result result, llvm::StringRef call) const;
};

/// The number of devices; an error if there are none.
llvm::Expected<int> countDevices(const Driver &driver);
llvm::Expected<DeviceProperties> getProperties(const Driver &driver,
                                               DeviceHandle device);

} // namespace cuda
} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUDADRIVER_H
