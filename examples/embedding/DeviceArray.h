//===- DeviceArray.h - Data for compiled code -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays in the device's memory, and tcgemm's GPU runtime for MLIR's execution
// engine.
//
//===----------------------------------------------------------------------===//

#ifndef EMBEDDING_DEVICEARRAY_H
#define EMBEDDING_DEVICEARRAY_H

#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"
#include "llvm/ExecutionEngine/Orc/CoreContainers.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <vector>

namespace cuda {

/// The functions that lowered code calls, for
/// mlir::ExecutionEngine::registerSymbols.
inline llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  tcgemm::gpu_runtime::forEachSymbol([&](const char *name, void *address) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
  });
  return symbols;
}

/// The first failure since the last call, if there is one.
inline llvm::Error takeError() {
  if (auto text = tcgemm::gpu_runtime::takeError())
    return llvm::createStringError(*text);
  return llvm::Error::success();
}

/// A row-major array on the host and in the device's memory, `offset` elements
/// behind the start of an allocation.
template <typename T, int Rank> struct Array {
  explicit Array(std::array<int64_t, Rank> sizes, int64_t offset = 0) {
    int64_t count = 1;
    for (int i = Rank - 1; i >= 0; --i) {
      device.sizes[i] = sizes[i];
      device.strides[i] = count;
      count *= sizes[i];
    }
    host.resize(count);
    device.basePtr = static_cast<T *>(
        mgpuMemAlloc((count + offset) * sizeof(T), nullptr, false));
    device.data = device.basePtr + offset;
    device.offset = 0;
  }
  ~Array() { mgpuMemFree(device.basePtr, nullptr); }
  Array(const Array &) = delete;
  void upload() {
    mgpuMemcpy(device.data, host.data(), host.size() * sizeof(T), nullptr);
  }
  void download() {
    mgpuMemcpy(host.data(), device.data, host.size() * sizeof(T), nullptr);
  }

  std::vector<T> host;
  StridedMemRefType<T, Rank> device;
};

} // namespace cuda

#endif // EMBEDDING_DEVICEARRAY_H
