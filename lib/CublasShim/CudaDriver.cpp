//===- CudaDriver.cpp - The driver's functions for streams ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace tcgemm;
using namespace tcgemm::shim;

const CudaDriver *CudaDriver::load() {
  const char *variable = std::getenv("TCGEMM_CUDA_DRIVER");
  std::string path = variable && *variable ? variable : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    complain(std::string("calls are forwarded: ") + dlerror());
    return nullptr;
  }
  static CudaDriver driver;
#define TCGEMM_LOAD(name, parameters)                                          \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));
#define TCGEMM_REQUIRE(name, parameters)                                       \
  TCGEMM_LOAD(name, parameters)                                                \
  if (!driver.name) {                                                          \
    complain("calls are forwarded: the CUDA driver has no " #name);            \
    return nullptr;                                                            \
  }
  TCGEMM_SHIM_DRIVER_FUNCTIONS(TCGEMM_REQUIRE)
  TCGEMM_SHIM_OPTIONAL_DRIVER_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_REQUIRE
#undef TCGEMM_LOAD
  return &driver;
}

const CudaDriver *CudaDriver::get() {
  static const CudaDriver *const driver = load();
  return driver;
}

ContextKey CudaDriver::getContext() const {
  ContextKey key{nullptr, 0};
  if (cuCtxGetCurrent(&key.first) != cuda::Success || !key.first)
    return {nullptr, 0};
  unsigned long long number = 0;
  if (cuCtxGetId && cuCtxGetId(key.first, &number) == cuda::Success)
    key.second = number;
  return key;
}

bool CudaDriver::isCapturing(cuda::Stream stream) const {
  int status = 0;
  return cuStreamIsCapturing(stream, &status) != cuda::Success || status != 0;
}

cuda::DevicePointer CudaDriver::allocate(size_t bytes,
                                         cuda::Stream stream) const {
  cuda::DevicePointer memory = 0;
  if (!cuMemAllocAsync || !cuMemFreeAsync ||
      cuMemAllocAsync(&memory, bytes, stream) != cuda::Success)
    return 0;
  return memory;
}

void CudaDriver::free(cuda::DevicePointer memory, cuda::Stream stream) const {
  // The memory was of the stream. A driver that has failed says so in the next
  // call of the program.
  cuMemFreeAsync(memory, stream);
}

int CudaDriver::exchangeCaptureMode(int mode) const {
  // A driver without the function captures no other way.
  if (cuThreadExchangeStreamCaptureMode)
    cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}
