//===- Driver.h - The CUDA driver of a process ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_DRIVER_H
#define TCGEMM_LIB_LIBRARY_DRIVER_H

#include "../GpuRuntime/CudaFunctions.h"
#include "Portable/program.h"
#include "tcgemm/Target/Chip.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace tcgemm::library {

// Functions that the library cannot do without.
#define TCGEMM_LIBRARY_FUNCTIONS(X)                                            \
  TCGEMM_CUDA_BASIC_FUNCTIONS(X)                                               \
  TCGEMM_CUDA_CONTEXT_FUNCTIONS(X)                                             \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                              \
  X(cuCtxPushCurrent_v2, (Context))                                            \
  X(cuCtxPopCurrent_v2, (Context *))

// Memory pools, which come with CUDA 11.2, and copies of constants.
#define TCGEMM_LIBRARY_OPTIONAL_FUNCTIONS(X)                                   \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFreeAsync, (DevicePointer, Stream))

/// The functions of the driver, loaded and initialised once in a process.
struct Driver {
  using Result = cuda::Result;
  using DeviceHandle = cuda::DeviceHandle;
  using DevicePointer = cuda::DevicePointer;
  using Context = cuda::Context;
  using ModuleHandle = cuda::ModuleHandle;
  using Function = cuda::Function;
  using Stream = cuda::Stream;
  using Event = cuda::Event;
#define TCGEMM_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  TCGEMM_LIBRARY_FUNCTIONS(TCGEMM_DECLARE)
  TCGEMM_LIBRARY_OPTIONAL_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
  /// The functions that programs call, with the types of C.
  tcgemmRunDriver run{};

  /// The driver of TCGEMM_CUDA_DRIVER, or libcuda.so.1.
  static llvm::Expected<const Driver &> get();
  /// Success, or an error with the call, the error's name and its text.
  llvm::Error check(Result result, const llvm::Twine &call) const;
  std::string describe(Result result) const;
};

/// A context of a device. The primary context is released at the end.
class DeviceContext {
public:
  /// `ordinal` is as in tcgemmCreate.
  static llvm::Expected<std::shared_ptr<DeviceContext>> open(int ordinal);
  ~DeviceContext();
  DeviceContext(const DeviceContext &) = delete;
  DeviceContext &operator=(const DeviceContext &) = delete;

  const Driver &getDriver() const { return driver; }
  cuda::Context getContext() const { return context; }
  /// The chip that kernels are compiled for.
  const ChipInfo &getChip() const { return *chip; }
  /// The driver's number of the device.
  int getOrdinal() const { return device; }
  int64_t getSMCount() const { return smCount; }

private:
  explicit DeviceContext(const Driver &driver) : driver(driver) {}
  llvm::Error openCurrent();
  llvm::Error openPrimary(int ordinal);
  llvm::Error readProperties();

  const Driver &driver;
  cuda::DeviceHandle device = 0;
  cuda::Context context = nullptr;
  bool isRetained = false;
  const ChipInfo *chip = nullptr;
  int64_t smCount = 0;
};

/// Makes a context current in the calling thread, if it is not, until the end
/// of the scope.
class CurrentContext {
public:
  explicit CurrentContext(const DeviceContext &device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  /// The result of the driver's calls.
  cuda::Result getResult() const { return result; }

private:
  const Driver &driver;
  cuda::Result result = cuda::Success;
  bool isPushed = false;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_DRIVER_H
