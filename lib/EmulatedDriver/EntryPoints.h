//===- EntryPoints.h - Functions of the emulated driver ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
#define TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H

#include "../GpuRuntime/CudaFunctions.h"

/// Functions of other programs that launch kernels.
#define TCGEMM_EMULATED_LAUNCHER_FUNCTIONS(X)                                  \
  X(cuCtxCreate_v2, (Context *, unsigned, DeviceHandle))                       \
  X(cuCtxDestroy_v2, (Context))                                                \
  X(cuCtxSynchronize, ())                                                      \
  X(cuDeviceComputeCapability, (int *, int *, DeviceHandle))                   \
  X(cuDeviceTotalMem_v2, (size_t *, DeviceHandle))                             \
  X(cuDeviceGetPCIBusId, (char *, int, DeviceHandle))                          \
  X(cuEventQuery, (Event))                                                     \
  X(cuEventRecordWithFlags, (Event, Stream, unsigned))                         \
  X(cuFuncGetAttribute, (int *, int, Function))                                \
  X(cuGetProcAddress, (const char *, void **, int, uint64_t))                  \
  X(cuGetProcAddress_v2, (const char *, void **, int, uint64_t, int *))        \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemAllocHost_v2, (void **, size_t))                                      \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuMemFreeHost, (void *))                                                   \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  X(cuMemHostAlloc, (void **, size_t, unsigned))                               \
  X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                   \
  X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                          \
  X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                    \
  X(cuMemsetD8Async, (DevicePointer, unsigned char, size_t, Stream))           \
  X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                     \
  X(cuModuleLoad, (ModuleHandle *, const char *))                              \
  X(cuModuleLoadData, (ModuleHandle *, const void *))                          \
  X(cuPointerGetAttribute, (void *, int, DevicePointer))                       \
  X(cuStreamCreateWithPriority, (Stream *, unsigned, int))                     \
  X(cuStreamIsCapturing, (Stream, int *))                                      \
  X(cuStreamQuery, (Stream))

/// X(name, parameters) for each function of the driver that exists.
#define TCGEMM_EMULATED_FUNCTIONS(X)                                           \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_MEASURING_FUNCTIONS(X)                                           \
  TCGEMM_CUDA_HOST_FUNCTIONS(X)                                                \
  TCGEMM_CUDA_CONTEXT_FUNCTIONS(X)                                             \
  TCGEMM_CUDA_NEW_FUNCTIONS(X)                                                 \
  TCGEMM_EMULATED_LAUNCHER_FUNCTIONS(X)                                        \
  X(tcgemm_emulated_driver, ())

extern "C" {
using namespace tcgemm::cuda;
#define TCGEMM_DECLARE(name, parameters) Result name parameters;
TCGEMM_EMULATED_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
}

#endif // TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
