//===- CudaFunctions.h - The functions of the CUDA driver -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of the part of the driver API that several libraries use or
// emulate: building needs no CUDA toolkit. A list is X(name, parameters) for
// each function, under the name that dlsym is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_CUDAFUNCTIONS_H
#define TCGEMM_LIB_GPURUNTIME_CUDAFUNCTIONS_H

#include "CudaTypes.h"

/// Functions that every user of the driver needs.
#define TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                         \
  X(cuInit, (unsigned))                                                        \
  X(cuGetErrorName, (Result, const char **))                                   \
  X(cuGetErrorString, (Result, const char **))                                 \
  X(cuDeviceGet, (DeviceHandle *, int))                                        \
  X(cuDeviceGetName, (char *, int, DeviceHandle))                              \
  X(cuDeviceGetAttribute, (int *, int, DeviceHandle))                          \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceHandle))                       \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(cuMemFree_v2, (DevicePointer))                                             \
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
  X(cuEventCreate, (Event *, unsigned))                                        \
  X(cuEventDestroy_v2, (Event))                                                \
  X(cuEventRecord, (Event, Stream))                                            \
  X(cuEventSynchronize, (Event))

/// Functions that check and measure kernels: variables, copies, graphs and
/// times.
#define TCGEMM_CUDA_MEASURING_FUNCTIONS(X)                                     \
  X(cuModuleGetGlobal_v2,                                                      \
    (DevicePointer *, size_t *, ModuleHandle, const char *))                   \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                              \
  X(cuCtxSetCurrent, (Context))                                                \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))             \
  X(cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))      \
  X(cuStreamBeginCapture_v2, (Stream, int))                                    \
  X(cuStreamEndCapture, (Stream, GraphHandle *))                               \
  X(cuGraphInstantiateWithFlags,                                               \
    (GraphExec *, GraphHandle, unsigned long long))                            \
  X(cuGraphLaunch, (GraphExec, Stream))                                        \
  X(cuGraphDestroy, (GraphHandle))                                             \
  X(cuGraphExecDestroy, (GraphExec))                                           \
  X(cuEventElapsedTime, (float *, Event, Event))

/// Functions that lowered host code needs: contexts of others, fills, events.
#define TCGEMM_CUDA_HOST_FUNCTIONS(X)                                          \
  X(cuCtxPushCurrent_v2, (Context))                                            \
  X(cuCtxPopCurrent_v2, (Context *))                                           \
  X(cuStreamWaitEvent, (Stream, Event, unsigned))                              \
  X(cuMemcpy, (DevicePointer, DevicePointer, size_t))                          \
  X(cuMemcpyAsync, (DevicePointer, DevicePointer, size_t, Stream))             \
  X(cuMemsetD16_v2, (DevicePointer, unsigned short, size_t))                   \
  X(cuMemsetD16Async, (DevicePointer, unsigned short, size_t, Stream))         \
  X(cuMemsetD32_v2, (DevicePointer, unsigned, size_t))

/// Functions that ask for the calling thread's context.
#define TCGEMM_CUDA_CONTEXT_FUNCTIONS(X)                                       \
  X(cuCtxGetCurrent, (Context *))                                              \
  X(cuCtxGetDevice, (DeviceHandle *))

/// Functions that come with CUDA 12. The parameters of cuTensorMapEncodeTiled:
/// map, type, rank, address, dims, strides, box, element strides, interleave,
/// swizzle, L2 promotion, fill. Those of cuTensorMapEncodeIm2col have the lower
/// and the upper corner, the channels and the pixels in place of the box.
#define TCGEMM_CUDA_TENSOR_MAP_FUNCTIONS(X)                                    \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))                  \
  X(cuTensorMapEncodeIm2col,                                                   \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const int *, const int *, uint32_t, uint32_t, const uint32_t *, int, int, \
     int, int))                                                                \
  X(cuTensorMapReplaceAddress, (void *, void *))

/// Functions that older drivers do not have. cuLaunchKernelEx comes with CUDA
/// 11.8; only clusters need it, and dependent launches use it.
#define TCGEMM_CUDA_NEW_FUNCTIONS(X)                                           \
  X(cuLaunchKernelEx, (const LaunchConfigEx *, Function, void **, void **))    \
  TCGEMM_CUDA_TENSOR_MAP_FUNCTIONS(X)

#endif // TCGEMM_LIB_GPURUNTIME_CUDAFUNCTIONS_H
