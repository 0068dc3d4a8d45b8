//===- CopyKernels.h - Kernels that copy operands ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_COPYKERNELS_H
#define TCGEMM_LIB_LIBRARY_COPYKERNELS_H

#include "Driver.h"

#include <map>
#include <mutex>

namespace tcgemm::library {

/// The loaded kernel for elements of one size.
class CopyKernel {
public:
  /// The driver compiles it. Errors: the driver fails.
  static llvm::Expected<std::shared_ptr<CopyKernel>>
  load(std::shared_ptr<DeviceContext> device, unsigned bytes);
  ~CopyKernel();
  CopyKernel(const CopyKernel &) = delete;
  CopyKernel &operator=(const CopyKernel &) = delete;

  cuda::Function getFunction() const { return function; }

private:
  explicit CopyKernel(std::shared_ptr<DeviceContext> device)
      : device(std::move(device)) {}

  std::shared_ptr<DeviceContext> device;
  cuda::ModuleHandle module = nullptr;
  cuda::Function function = nullptr;
};

/// The kernels that were used on a device.
class CopyKernels {
public:
  explicit CopyKernels(std::shared_ptr<DeviceContext> device)
      : device(std::move(device)) {}
  /// The kernel for elements of `bytes` bytes, loaded once. The device's
  /// context is current.
  llvm::Expected<std::shared_ptr<CopyKernel>> get(unsigned bytes);

private:
  std::shared_ptr<DeviceContext> device;
  std::mutex mutex;
  std::map<unsigned, std::shared_ptr<CopyKernel>> kernels;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_COPYKERNELS_H
