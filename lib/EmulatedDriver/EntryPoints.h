//===- EntryPoints.h - Functions of the emulated driver ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
#define TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H

#include "../GpuRuntime/CudaTypes.h"

/// X(name, parameters) for each function of the driver that exists.
#define TCGEMM_EMULATED_FUNCTIONS(X)                                           \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (Result, const char **))                                   \
  X(cuGetErrorString, (Result, const char **))                                 \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (DeviceHandle *, int))                                        \
  X(cuDeviceGetName, (char *, int, DeviceHandle))                              \
  X(cuDeviceGetAttribute, (int *, int, DeviceHandle))                          \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceHandle))                       \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                              \
  X(cuCtxSetCurrent, (Context))                                                \
  X(cuCtxPushCurrent_v2, (Context))                                            \
  X(cuCtxPopCurrent_v2, (Context *))                                           \
  X(cuCtxSynchronize, ())                                                      \
  X(cuModuleLoadData, (ModuleHandle *, const void *))                          \
  X(cuModuleLoadDataEx,                                                        \
    (ModuleHandle *, const void *, unsigned, int *, void **))                  \
  X(cuModuleUnload, (ModuleHandle))                                            \
  X(cuModuleGetFunction, (Function *, ModuleHandle, const char *))             \
  X(cuModuleGetGlobal_v2,                                                      \
    (DevicePointer *, size_t *, ModuleHandle, const char *))                   \
  X(cuFuncSetAttribute, (Function, int, int))                                  \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFree_v2, (DevicePointer))                                             \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuPointerGetAttribute, (void *, int, DevicePointer))                       \
  X(cuMemcpy, (DevicePointer, DevicePointer, size_t))                          \
  X(cuMemcpyAsync, (DevicePointer, DevicePointer, size_t, Stream))             \
  X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                    \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                          \
  X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))             \
  X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                   \
  X(cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))      \
  X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                     \
  X(cuMemsetD16_v2, (DevicePointer, unsigned short, size_t))                   \
  X(cuMemsetD16Async, (DevicePointer, unsigned short, size_t, Stream))         \
  X(cuMemsetD32_v2, (DevicePointer, unsigned, size_t))                         \
  X(cuMemsetD32Async, (DevicePointer, unsigned, size_t, Stream))               \
  X(cuStreamCreate, (Stream *, unsigned))                                      \
  X(cuStreamDestroy_v2, (Stream))                                              \
  X(cuStreamSynchronize, (Stream))                                             \
  X(cuStreamWaitEvent, (Stream, Event, unsigned))                              \
  X(cuStreamBeginCapture_v2, (Stream, int))                                    \
  X(cuStreamEndCapture, (Stream, GraphHandle *))                               \
  X(cuGraphInstantiateWithFlags,                                               \
    (GraphExec *, GraphHandle, unsigned long long))                            \
  X(cuGraphLaunch, (GraphExec, Stream))                                        \
  X(cuGraphExecDestroy, (GraphExec))                                           \
  X(cuGraphDestroy, (GraphHandle))                                             \
  X(cuEventCreate, (Event *, unsigned))                                        \
  X(cuEventDestroy_v2, (Event))                                                \
  X(cuEventRecord, (Event, Stream))                                            \
  X(cuEventSynchronize, (Event))                                               \
  X(cuEventElapsedTime, (float *, Event, Event))                               \
  X(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned,         \
                     unsigned, unsigned, unsigned, Stream, void **, void **))  \
  X(cuLaunchKernelEx, (const LaunchConfigEx *, Function, void **, void **))    \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

extern "C" {
using namespace tcgemm::cuda;
#define TCGEMM_DECLARE(name, parameters) Result name parameters;
TCGEMM_EMULATED_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
}

#endif // TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
