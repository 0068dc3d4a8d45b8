//===- CudaDriver.h - The CUDA driver by dlopen -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the driver's functions, filled from libcuda.so.1: running on a
// machine without a driver gives an error instead of a failure to start.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_CUDADRIVER_H
#define TCGEMM_LIB_RUNTIME_CUDADRIVER_H

#include "../GpuRuntime/CudaFunctions.h"
#include "tcgemm/Runtime/Device.h"

#include "llvm/Support/Error.h"

namespace tcgemm {
namespace cuda {

// Every function that a driver must have.
#define TCGEMM_CUDA_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_MEASURING_FUNCTIONS(X)                                           \
  X(cuDeviceTotalMem_v2, (size_t *, DeviceHandle))                             \
  X(cuDeviceGetPCIBusId, (char *, int, DeviceHandle))

/// The functions of the driver, loaded and initialised.
struct Driver {
#define TCGEMM_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_CUDA_FUNCTIONS(TCGEMM_DECLARE)
  /// Null in older drivers.
  TCGEMM_CUDA_NEW_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE

  /// True if the library is lib/EmulatedDriver.
  bool isEmulated = false;

  /// Loads libcuda.so.1 and calls cuInit. The library is never unloaded.
  static llvm::Expected<Driver> load();

  /// Success, or an error with the call, the error's name and its text.
  llvm::Error check(Result result, llvm::StringRef call) const;
};

/// The number of devices. Errors: there are none.
llvm::Expected<int> countDevices(const Driver &driver);
llvm::Expected<DeviceProperties> getProperties(const Driver &driver,
                                               DeviceHandle device);

} // namespace cuda
} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_CUDADRIVER_H
