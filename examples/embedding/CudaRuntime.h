//===- CudaRuntime.h - What lowered GPU operations call -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-to-llvm leaves calls of functions mgpu*. These are over the
// CUDA driver, which is loaded at run time: the program builds, and starts,
// without it. An embedder who has such functions already needs none of this.
//
//===----------------------------------------------------------------------===//

#ifndef EMBEDDING_CUDARUNTIME_H
#define EMBEDDING_CUDARUNTIME_H

#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda {

struct Device {
  std::string name;
  /// As tcgemm calls it: "sm_90".
  std::string chip;
  int64_t multiprocessors;
};

/// Loads the driver and makes the first device current in this thread. The
/// error is one line, also where there is no driver.
llvm::Expected<Device> openDevice();

/// The functions mgpu* and tcgemm_encode_tensor_map, for
/// mlir::ExecutionEngine::registerSymbols.
llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner interner);

/// The first call of the driver that failed since the last question, if any:
/// the functions mgpu* have no way to return it.
llvm::Error takeError();

/// The device's memory. Copies are done when they return.
void *allocate(size_t bytes);
void release(void *memory);
void copyToDevice(void *device, const void *host, size_t bytes);
void copyToHost(void *host, const void *device, size_t bytes);

/// A row-major array on the host and in the device's memory.
template <typename T, int Rank> struct Array {
  explicit Array(std::array<int64_t, Rank> sizes, int64_t offset = 0) {
    int64_t count = 1;
    for (int i = Rank - 1; i >= 0; --i) {
      device.sizes[i] = sizes[i];
      device.strides[i] = count;
      count *= sizes[i];
    }
    host.resize(count);
    device.basePtr = static_cast<T *>(allocate((count + offset) * sizeof(T)));
    device.data = device.basePtr + offset;
    device.offset = 0;
  }
  ~Array() { release(device.basePtr); }
  Array(const Array &) = delete;
  void upload() {
    copyToDevice(device.data, host.data(), host.size() * sizeof(T));
  }
  void download() {
    copyToHost(host.data(), device.data, host.size() * sizeof(T));
  }

  std::vector<T> host;
  StridedMemRefType<T, Rank> device;
};

} // namespace cuda

#endif // EMBEDDING_CUDARUNTIME_H
