//===- CudaDriver.h - The driver's functions for streams ------ -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_CUDADRIVER_H
#define TCGEMM_LIB_CUBLASSHIM_CUDADRIVER_H

#include "../GpuRuntime/CudaTypes.h"

#include <cstdint>
#include <utility>

namespace tcgemm::shim {

/// A context, with a number that no later context has.
using ContextKey = std::pair<cuda::Context, uint64_t>;

/// The part of the CUDA driver that replaced functions use themselves.
class CudaDriver {
public:
  /// The driver of TCGEMM_CUDA_DRIVER, or libcuda.so.1. Null, with a message on
  /// standard error, if it cannot be loaded.
  static const CudaDriver *get();

  /// The calling thread's context; null if there is none.
  ContextKey getContext() const;
  /// Returns whether the stream is captured. Returns true if the driver does
  /// not tell.
  bool isCapturing(cuda::Stream stream) const;
  /// Memory of the stream's pool; 0 if there is none.
  cuda::DevicePointer allocate(size_t bytes, cuda::Stream stream) const;
  void free(cuda::DevicePointer memory, cuda::Stream stream) const;
  /// Sets how calls of this thread affect captures of others. Returns the mode
  /// that was set before.
  int exchangeCaptureMode(int mode) const;

private:
  using Result = cuda::Result;
  using Context = cuda::Context;
  using Stream = cuda::Stream;
  using DevicePointer = cuda::DevicePointer;
// X(name, parameters). A driver that lacks one of the second list works
// without.
#define TCGEMM_SHIM_DRIVER_FUNCTIONS(X)                                        \
  X(cuCtxGetCurrent, (Context *))                                              \
  X(cuStreamIsCapturing, (Stream, int *))
#define TCGEMM_SHIM_OPTIONAL_DRIVER_FUNCTIONS(X)                               \
  X(cuCtxGetId, (Context, unsigned long long *))                               \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuThreadExchangeStreamCaptureMode, (int *))
#define TCGEMM_MEMBER(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_SHIM_DRIVER_FUNCTIONS(TCGEMM_MEMBER)
  TCGEMM_SHIM_OPTIONAL_DRIVER_FUNCTIONS(TCGEMM_MEMBER)
#undef TCGEMM_MEMBER

  static const CudaDriver *load();
};

/// Lets calls of this thread leave captures of other threads alone, until the
/// end of the scope. Loading a kernel would end them otherwise.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaDriver &driver)
      : driver(driver),
        before(driver.exchangeCaptureMode(cuda::CaptureModeRelaxed)) {}
  ~RelaxedCapture() { driver.exchangeCaptureMode(before); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const CudaDriver &driver;
  int before;
};

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_CUDADRIVER_H
