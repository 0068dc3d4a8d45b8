//===- Memory.cpp - Device memory for lowered GPU code --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <mutex>
#include <unordered_set>

using namespace tcgemm;
using namespace tcgemm::gpu_runtime;

namespace {
/// The allocations of memory pools; only these are freed in a stream.
class PooledMemory {
public:
  void insert(const void *memory) {
    std::lock_guard<std::mutex> lock(mutex);
    pointers.insert(memory);
  }
  bool erase(const void *memory) {
    std::lock_guard<std::mutex> lock(mutex);
    return pointers.erase(memory);
  }

private:
  std::mutex mutex;
  std::unordered_set<const void *> pointers;
};
} // namespace

static PooledMemory &getPooledMemory() {
  static auto *memory = new PooledMemory;
  return *memory;
}

static void *allocateShared(Scope &scope, uint64_t bytes) {
  enum : unsigned { AttachGlobal = 1 };
  DevicePointer address = 0;
  if (!scope.getDriver().cuMemAllocManaged)
    scope.getDriver().check(cuda::NotSupported, "cuMemAllocManaged");
  else
    TCGEMM_CALL(scope, cuMemAllocManaged, &address, bytes, AttachGlobal);
  return fromDevice(address);
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, bool is_host_shared) {
  if (bytes == 0)
    return nullptr;
  Scope scope;
  if (!scope)
    return nullptr;
  if (is_host_shared)
    return allocateShared(scope, bytes);
  DevicePointer address = 0;
  if (!stream || !scope.getDevice().hasMemoryPools) {
    TCGEMM_CALL(scope, cuMemAlloc_v2, &address, bytes);
  } else if (TCGEMM_CALL(scope, cuMemAllocAsync, &address, bytes,
                         static_cast<Stream>(stream))) {
    getPooledMemory().insert(fromDevice(address));
  }
  return fromDevice(address);
}

void mgpuMemFree(void *memory, void *stream) {
  if (!memory)
    return;
  Scope scope(Scope::Release);
  if (!scope)
    return;
  bool isPooled = getPooledMemory().erase(memory);
  if (isPooled && stream)
    TCGEMM_CALL(scope, cuMemFreeAsync, toDevice(memory),
                static_cast<Stream>(stream));
  else
    TCGEMM_CALL(scope, cuMemFree_v2, toDevice(memory));
}

void mgpuMemcpy(void *target, const void *source, size_t bytes, void *stream) {
  if (bytes == 0)
    return;
  Scope scope;
  if (!scope)
    return;
  if (!stream)
    TCGEMM_CALL(scope, cuMemcpy, toDevice(target), toDevice(source), bytes);
  else
    TCGEMM_CALL(scope, cuMemcpyAsync, toDevice(target), toDevice(source), bytes,
                static_cast<Stream>(stream));
  // The driver may still be copying from its own copy of pageable memory.
  if (!stream)
    TCGEMM_CALL(scope, cuStreamSynchronize, nullptr);
}

void mgpuMemset32(void *target, uint32_t value, size_t count, void *stream) {
  Scope scope;
  if (!scope || count == 0)
    return;
  if (stream)
    TCGEMM_CALL(scope, cuMemsetD32Async, toDevice(target), value, count,
                static_cast<Stream>(stream));
  else
    TCGEMM_CALL(scope, cuMemsetD32_v2, toDevice(target), value, count);
  if (!stream)
    TCGEMM_CALL(scope, cuStreamSynchronize, nullptr);
}

void mgpuMemset16(void *target, uint16_t value, size_t count, void *stream) {
  Scope scope;
  if (!scope || count == 0)
    return;
  if (stream)
    TCGEMM_CALL(scope, cuMemsetD16Async, toDevice(target), value, count,
                static_cast<Stream>(stream));
  else
    TCGEMM_CALL(scope, cuMemsetD16_v2, toDevice(target), value, count);
  if (!stream)
    TCGEMM_CALL(scope, cuStreamSynchronize, nullptr);
}

//===----------------------------------------------------------------------===//
// Host memory for kernels
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a memref on the host.
struct HostRange {
  void *data;
  size_t bytes;
};
} // namespace

/// Reads a descriptor: two pointers, an offset, sizes and strides. Sets an
/// error if the memref is not contiguous.
static HostRange readMemRef(int64_t rank, const void *descriptor,
                            int64_t elementBytes) {
  const auto *words = static_cast<const int64_t *>(descriptor);
  const int64_t *sizes = words + 3, *strides = sizes + rank;
  int64_t count = 1;
  for (int64_t i = rank; i-- != 0; count *= sizes[i])
    if (strides[i] != count && sizes[i] > 1)
      setError("a memref that is not contiguous cannot be registered");
  auto *data = static_cast<char *const *>(descriptor)[1];
  return {data + words[2] * elementBytes,
          static_cast<size_t>(count * elementBytes)};
}

void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t element_bytes) {
  HostRange range = readMemRef(rank, descriptor, element_bytes);
  Scope scope;
  if (!scope || range.bytes == 0)
    return;
  if (!scope.getDriver().cuMemHostRegister_v2)
    scope.getDriver().check(cuda::NotSupported, "cuMemHostRegister_v2");
  else
    TCGEMM_CALL(scope, cuMemHostRegister_v2, range.data, range.bytes, 0);
}

void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t element_bytes) {
  HostRange range = readMemRef(rank, descriptor, element_bytes);
  Scope scope(Scope::Release);
  if (scope && range.bytes && scope.getDriver().cuMemHostUnregister)
    TCGEMM_CALL(scope, cuMemHostUnregister, range.data);
}
