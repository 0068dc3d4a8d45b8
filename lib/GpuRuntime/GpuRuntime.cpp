//===- GpuRuntime.cpp - The functions that lowered GPU code calls ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, launches, streams and events. Names and types are those that MLIR
// 22 emits.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include "Driver.h"

using namespace tcgemm;
using namespace tcgemm::gpu_runtime;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void *loadModule(const void *image, int *level) {
  Scope scope;
  if (!scope)
    return nullptr;
  char log[4096] = "";
  enum : int { OptimizationLevel = 7 };
  int options[] = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferSizeBytes,
                   OptimizationLevel};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log), nullptr};
  if (level)
    values[2] = reinterpret_cast<void *>(intptr_t(*level));
  ModuleHandle module = nullptr;
  Result result = scope.getDriver().cuModuleLoadDataEx(
      &module, image, level ? 3 : 2, options, values);
  log[sizeof log - 1] = 0;
  if (!scope.getDriver().check(result, "cuModuleLoadDataEx", log))
    return nullptr;
  return module;
}

void *mgpuModuleLoad(const void *image, size_t) {
  return loadModule(image, nullptr);
}

void *mgpuModuleLoadJIT(const void *text, int32_t level) {
  // MLIR passes 0 if no level was chosen.
  return loadModule(text, level >= 1 && level <= 4 ? &level : nullptr);
}

void mgpuModuleUnload(void *module) {
  if (!module)
    return;
  if (Scope scope(Scope::Release); scope)
    TCGEMM_CALL(scope, cuModuleUnload, static_cast<ModuleHandle>(module));
}

void *mgpuModuleGetFunction(void *module, const char *name) {
  // Loading may have failed in another thread.
  if (!module)
    setError("mgpuModuleGetFunction: the module of kernel '" +
             std::string(name) + "' is not loaded");
  Scope scope;
  if (!scope)
    return nullptr;
  Function function = nullptr;
  TCGEMM_CALL(scope, cuModuleGetFunction, &function,
              static_cast<ModuleHandle>(module), name);
  return function;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Reads three sizes. Returns false and sets an error if one is out of the
/// driver's range.
static bool readSizes(const char *what, const intptr_t (&from)[3],
                      unsigned (&to)[3]) {
  for (int i = 0; i != 3; ++i) {
    if (from[i] < 0 || from[i] > INT32_MAX) {
      setError(std::string(what) + " dimension " + std::to_string(i) + " is " +
               std::to_string(from[i]) + ", but it must be 0 to " +
               std::to_string(INT32_MAX));
      return false;
    }
    to[i] = static_cast<unsigned>(from[i]);
  }
  return true;
}

/// The common checks of both kinds of launches; false if there is nothing to
/// launch.
static bool readLaunch(const void *function, const intptr_t (&grid)[3],
                       const intptr_t (&block)[3], int32_t sharedMemory,
                       void *stream, LaunchConfigEx &config) {
  if (!function)
    setError("a launch has no function");
  if (sharedMemory < 0)
    setError("a launch has " + std::to_string(sharedMemory) +
             " bytes of shared memory");
  if (hasError() || !readSizes("grid", grid, config.grid) ||
      !readSizes("block", block, config.block))
    return false;
  config.sharedMemory = static_cast<unsigned>(sharedMemory);
  config.stream = static_cast<Stream>(stream);
  return config.grid[0] && config.grid[1] && config.grid[2];
}

/// Sets the function's attribute if the launch needs more than the default
/// limit.
static bool allowSharedMemory(Scope &scope, Function function, unsigned bytes) {
  return bytes <= cuda::kMaxPlainSharedMemory ||
         TCGEMM_CALL(scope, cuFuncSetAttribute, function,
                     cuda::MaxDynamicSharedSizeBytes, static_cast<int>(bytes));
}

void mgpuLaunchKernel(void *handle, intptr_t grid_x, intptr_t grid_y,
                      intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                      intptr_t block_z, int32_t shared_memory, void *stream,
                      void **arguments, void **extra, size_t) {
  LaunchConfigEx config{};
  if (!readLaunch(handle, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                  shared_memory, stream, config))
    return;
  Scope scope;
  auto function = static_cast<Function>(handle);
  if (!scope || !allowSharedMemory(scope, function, config.sharedMemory))
    return;
  TCGEMM_CALL(scope, cuLaunchKernel, function, config.grid[0], config.grid[1],
              config.grid[2], config.block[0], config.block[1], config.block[2],
              config.sharedMemory, config.stream, arguments, extra);
}

void mgpuLaunchClusterKernel(void *handle, intptr_t cluster_x,
                             intptr_t cluster_y, intptr_t cluster_z,
                             intptr_t grid_x, intptr_t grid_y, intptr_t grid_z,
                             intptr_t block_x, intptr_t block_y,
                             intptr_t block_z, int32_t shared_memory,
                             void *stream, void **arguments, void **extra) {
  LaunchConfigEx config{};
  unsigned cluster[3];
  if (!readLaunch(handle, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                  shared_memory, stream, config) ||
      !readSizes("cluster", {cluster_x, cluster_y, cluster_z}, cluster))
    return;
  Scope scope;
  auto function = static_cast<Function>(handle);
  if (!scope || !allowSharedMemory(scope, function, config.sharedMemory))
    return;
  if (!scope.getDriver().cuLaunchKernelEx) {
    scope.getDriver().check(cuda::NotSupported, "cuLaunchKernelEx");
    return;
  }
  cuda::LaunchAttribute attribute{};
  attribute.id = cuda::ClusterDimension;
  for (int i = 0; i != 3; ++i)
    attribute.value[i] = cluster[i];
  config.attributes = &attribute;
  config.numAttributes = 1;
  bool isLarge = uint64_t(cluster[0]) * cluster[1] * cluster[2] >
                 cuda::kMaxPortableCluster;
  if (!isLarge || TCGEMM_CALL(scope, cuFuncSetAttribute, function,
                              cuda::NonPortableClusterSizeAllowed, 1))
    TCGEMM_CALL(scope, cuLaunchKernelEx, &config, function, arguments, extra);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

void *mgpuStreamCreate() {
  Stream stream = nullptr;
  // The default stream waits for this stream, because synchronous calls use the
  // default stream.
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuStreamCreate, &stream, 0);
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  if (!stream)
    return;
  if (Scope scope(Scope::Release); scope)
    TCGEMM_CALL(scope, cuStreamDestroy_v2, static_cast<Stream>(stream));
}

void mgpuStreamSynchronize(void *stream) {
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuStreamSynchronize, static_cast<Stream>(stream));
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuStreamWaitEvent, static_cast<Stream>(stream),
                static_cast<Event>(event), 0);
}

void *mgpuEventCreate() {
  enum { DisableTiming = 2 };
  Event event = nullptr;
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuEventCreate, &event, DisableTiming);
  return event;
}

void mgpuEventDestroy(void *event) {
  if (!event)
    return;
  if (Scope scope(Scope::Release); scope)
    TCGEMM_CALL(scope, cuEventDestroy_v2, static_cast<Event>(event));
}

void mgpuEventSynchronize(void *event) {
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuEventSynchronize, static_cast<Event>(event));
}

void mgpuEventRecord(void *event, void *stream) {
  if (Scope scope; scope)
    TCGEMM_CALL(scope, cuEventRecord, static_cast<Event>(event),
                static_cast<Stream>(stream));
}

void mgpuSetDefaultDevice(int32_t ordinal) {
  if (!hasError() && getDevice(ordinal))
    setThreadDevice(ordinal);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

int32_t tcgemm_encode_tensor_map(void *map, int32_t type, int32_t rank,
                                 void *base, const int64_t *dims,
                                 const int64_t *strides, const int32_t *box,
                                 int32_t swizzle, int32_t promotion) {
  Scope scope;
  if (!scope)
    return 0;
  if (!scope.getDriver().cuTensorMapEncodeTiled) {
    scope.getDriver().check(cuda::NotSupported, "cuTensorMapEncodeTiled");
    return 0;
  }
  const uint32_t elementStrides[] = {1, 1, 1, 1, 1};
  TCGEMM_CALL(scope, cuTensorMapEncodeTiled, map, type,
              static_cast<uint32_t>(rank), base,
              reinterpret_cast<const uint64_t *>(dims),
              reinterpret_cast<const uint64_t *>(strides),
              reinterpret_cast<const uint32_t *>(box), elementStrides,
              /*interleave=*/0, swizzle, promotion, /*fill=*/0);
  return 0;
}

int32_t tcgemm_encode_window_map(void *map, int32_t type, void *base,
                                 const int64_t *dims, const int64_t *strides,
                                 const int32_t *box, const int32_t *window,
                                 int32_t swizzle, int32_t promotion) {
  Scope scope;
  if (!scope)
    return 0;
  if (!scope.getDriver().cuTensorMapEncodeIm2col) {
    scope.getDriver().check(cuda::NotSupported, "cuTensorMapEncodeIm2col");
    return 0;
  }
  const uint32_t elementStrides[] = {1, static_cast<uint32_t>(window[4]),
                                     static_cast<uint32_t>(window[5]), 1};
  TCGEMM_CALL(scope, cuTensorMapEncodeIm2col, map, type, /*rank=*/4, base,
              reinterpret_cast<const uint64_t *>(dims),
              reinterpret_cast<const uint64_t *>(strides), window, window + 2,
              static_cast<uint32_t>(box[0]), static_cast<uint32_t>(box[1]),
              elementStrides, /*interleave=*/0, swizzle, promotion, /*fill=*/0);
  return 0;
}

//===----------------------------------------------------------------------===//
// The list of all
//===----------------------------------------------------------------------===//

#define TCGEMM_RUNTIME_FUNCTIONS(X)                                            \
  X(mgpuModuleLoad)                                                            \
  X(mgpuModuleLoadJIT)                                                         \
  X(mgpuModuleUnload)                                                          \
  X(mgpuModuleGetFunction)                                                     \
  X(mgpuLaunchKernel)                                                          \
  X(mgpuLaunchClusterKernel)                                                   \
  X(mgpuStreamCreate)                                                          \
  X(mgpuStreamDestroy)                                                         \
  X(mgpuStreamSynchronize)                                                     \
  X(mgpuStreamWaitEvent)                                                       \
  X(mgpuEventCreate)                                                           \
  X(mgpuEventDestroy)                                                          \
  X(mgpuEventSynchronize)                                                      \
  X(mgpuEventRecord)                                                           \
  X(mgpuMemAlloc)                                                              \
  X(mgpuMemFree)                                                               \
  X(mgpuMemcpy)                                                                \
  X(mgpuMemset32)                                                              \
  X(mgpuMemset16)                                                              \
  X(mgpuMemHostRegisterMemRef)                                                 \
  X(mgpuMemHostUnregisterMemRef)                                               \
  X(mgpuSetDefaultDevice)                                                      \
  X(tcgemm_encode_tensor_map)                                                  \
  X(tcgemm_encode_window_map)                                                  \
  X(tcgemm_gpu_take_error)

const tcgemm_gpu_symbol *tcgemm_gpu_symbols() {
#define TCGEMM_SYMBOL(name) {#name, reinterpret_cast<void *>(&name)},
  static const tcgemm_gpu_symbol symbols[] = {
      TCGEMM_RUNTIME_FUNCTIONS(TCGEMM_SYMBOL){nullptr, nullptr}};
#undef TCGEMM_SYMBOL
  return symbols;
}
