//===- EntryPoints.h - Functions of the emulated driver ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
#define TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H

#include "../GpuRuntime/CudaFunctions.h"

/// X(name, parameters) for each function of the driver that exists.
#define TCGEMM_EMULATED_FUNCTIONS(X)                                           \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_MEASURING_FUNCTIONS(X)                                           \
  TCGEMM_CUDA_HOST_FUNCTIONS(X)                                                \
  TCGEMM_CUDA_CONTEXT_FUNCTIONS(X)                                             \
  TCGEMM_CUDA_NEW_FUNCTIONS(X)                                                 \
  X(cuCtxSynchronize, ())                                                      \
  X(cuDeviceTotalMem_v2, (size_t *, DeviceHandle))                             \
  X(cuDeviceGetPCIBusId, (char *, int, DeviceHandle))                          \
  X(tcgemm_emulated_driver, ())                                                \
  X(cuModuleLoadData, (ModuleHandle *, const void *))                          \
  X(cuStreamIsCapturing, (Stream, int *))                                      \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuPointerGetAttribute, (void *, int, DevicePointer))                       \
  X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                    \
  X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                          \
  X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                   \
  X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))

extern "C" {
using namespace tcgemm::cuda;
#define TCGEMM_DECLARE(name, parameters) Result name parameters;
TCGEMM_EMULATED_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
}

#endif // TCGEMM_LIB_EMULATEDDRIVER_ENTRYPOINTS_H
