//===- CudaRuntime.cpp - What lowered GPU operations call -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaRuntime.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ExecutionEngine/Orc/CoreContainers.h"
#include <dlfcn.h>

namespace {
using Address = uint64_t; // CUdeviceptr

// The part of cuda.h that is used: CUresult and CUdevice are ints, other
// handles pointers. X(what dlsym is asked for, parameters).
#define DRIVER_FUNCTIONS(X)                                                    \
  X(cuInit, (unsigned))                                                        \
  X(cuGetErrorName, (int, const char **))                                      \
  X(cuDeviceGet, (int *, int))                                                 \
  X(cuDeviceGetName, (char *, int, int))                                       \
  X(cuDeviceGetAttribute, (int *, int, int))                                   \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  X(cuCtxSetCurrent, (void *))                                                 \
  X(cuCtxSynchronize, ())                                                      \
  X(cuModuleLoadData, (void **, const void *))                                 \
  X(cuModuleUnload, (void *))                                                  \
  X(cuModuleGetFunction, (void **, void *, const char *))                      \
  X(cuFuncSetAttribute, (void *, int, int))                                    \
  X(cuStreamCreate, (void **, unsigned))                                       \
  X(cuStreamSynchronize, (void *))                                             \
  X(cuStreamDestroy_v2, (void *))                                              \
  X(cuMemAlloc_v2, (Address *, size_t))                                        \
  X(cuMemFree_v2, (Address))                                                   \
  X(cuMemcpyHtoD_v2, (Address, const void *, size_t))                          \
  X(cuMemcpyDtoH_v2, (void *, Address, size_t))                                \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, unsigned, void *, void **, void **))

enum { NotSupported = 801 };
enum { MultiprocessorCount = 16, CapabilityMajor = 75, CapabilityMinor = 76 };
enum { MaxDynamicSharedMemory = 8, NonPortableClusterSizeAllowed = 14 };
enum { ClusterDimension = 4 };

/// CUlaunchAttribute: the value is a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned value[16];
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], sharedMemory;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

// Only kernels with clusters or tensor maps need these, which older drivers do
// not have.
#define HOPPER_FUNCTIONS(X)                                                    \
  X(cuLaunchKernelEx, (const LaunchConfig *, void *, void **, void **))        \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

struct Driver {
#define DECLARE(name, parameters) int(*name) parameters = nullptr;
  DRIVER_FUNCTIONS(DECLARE)
  HOPPER_FUNCTIONS(DECLARE)
#undef DECLARE
  /// What the first failing call was.
  std::string error;

  llvm::Error load();
  bool check(int result, const char *call);
};

Driver driver;
} // namespace

#define CHECK(function, ...)                                                   \
  driver.check(driver.function(__VA_ARGS__), #function)

llvm::Error Driver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return llvm::createStringError("no CUDA driver");
#define LOAD(name, parameters)                                                 \
  name = reinterpret_cast<int(*) parameters>(dlsym(library, #name));           \
  if (!name)                                                                   \
    return llvm::createStringError("the CUDA driver has no " #name);
  DRIVER_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD(name, parameters)                                                 \
  name = reinterpret_cast<int(*) parameters>(dlsym(library, #name));
  HOPPER_FUNCTIONS(LOAD)
#undef LOAD
  return llvm::Error::success();
}

bool Driver::check(int result, const char *call) {
  if (result == 0)
    return true;
  const char *name = nullptr;
  if (cuGetErrorName(result, &name) != 0 || !name)
    name = "unknown error";
  if (error.empty())
    error = (llvm::Twine(call) + ": " + name).str();
  return false;
}

llvm::Error cuda::takeError() {
  if (driver.error.empty())
    return llvm::Error::success();
  return llvm::createStringError(std::exchange(driver.error, {}));
}

llvm::Expected<cuda::Device> cuda::openDevice() {
  if (llvm::Error error = driver.load())
    return std::move(error);
  int device = 0, major = 0, minor = 0, multiprocessors = 0;
  char name[256] = "";
  void *context = nullptr;
  if (!CHECK(cuInit, 0) || !CHECK(cuDeviceGet, &device, 0) ||
      !CHECK(cuDeviceGetName, name, sizeof(name), device) ||
      !CHECK(cuDeviceGetAttribute, &major, CapabilityMajor, device) ||
      !CHECK(cuDeviceGetAttribute, &minor, CapabilityMinor, device) ||
      !CHECK(cuDeviceGetAttribute, &multiprocessors, MultiprocessorCount,
             device) ||
      !CHECK(cuDevicePrimaryCtxRetain, &context, device) ||
      !CHECK(cuCtxSetCurrent, context))
    return takeError();
  return Device{name, "sm_" + std::to_string(major * 10 + minor),
                multiprocessors};
}

void *cuda::allocate(size_t bytes) {
  Address address = 0;
  CHECK(cuMemAlloc_v2, &address, bytes);
  return reinterpret_cast<void *>(address);
}

void cuda::release(void *memory) {
  CHECK(cuMemFree_v2, reinterpret_cast<Address>(memory));
}

void cuda::copyToDevice(void *device, const void *host, size_t bytes) {
  CHECK(cuMemcpyHtoD_v2, reinterpret_cast<Address>(device), host, bytes);
  // From pageable memory the driver may still be copying its own copy.
  CHECK(cuCtxSynchronize);
}

void cuda::copyToHost(void *host, const void *device, size_t bytes) {
  CHECK(cuMemcpyDtoH_v2, host, reinterpret_cast<Address>(device), bytes);
}

// What lowered code calls. The names and types are those of upstream's
// SelectObjectAttr (modules, kernels) and gpu-to-llvm (streams, memory).

static void *mgpuModuleLoad(const void *image, size_t) {
  void *module = nullptr;
  CHECK(cuModuleLoadData, &module, image);
  return module;
}

/// A binary that is PTX: the driver assembles it.
static void *mgpuModuleLoadJIT(const void *image, int32_t, size_t) {
  return mgpuModuleLoad(image, 0);
}

static void mgpuModuleUnload(void *module) {
  if (module)
    CHECK(cuModuleUnload, module);
}

static void *mgpuModuleGetFunction(void *module, const char *name) {
  void *function = nullptr;
  CHECK(cuModuleGetFunction, &function, module, name);
  return function;
}

static void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                             intptr_t blockZ, int32_t sharedMemory,
                             void *stream, void **arguments, void **extra,
                             size_t) {
  // More than 48 KiB have to be asked for.
  if (CHECK(cuFuncSetAttribute, function, MaxDynamicSharedMemory, sharedMemory))
    CHECK(cuLaunchKernel, function, gridX, gridY, gridZ, blockX, blockY, blockZ,
          sharedMemory, stream, arguments, extra);
}

static void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                                    intptr_t clusterY, intptr_t clusterZ,
                                    intptr_t gridX, intptr_t gridY,
                                    intptr_t gridZ, intptr_t blockX,
                                    intptr_t blockY, intptr_t blockZ,
                                    int32_t sharedMemory, void *stream,
                                    void **arguments, void **extra) {
  if (!driver.cuLaunchKernelEx) {
    driver.check(NotSupported, "cuLaunchKernelEx");
    return;
  }
  LaunchAttribute attribute{};
  attribute.id = ClusterDimension;
  attribute.value[0] = clusterX;
  attribute.value[1] = clusterY;
  attribute.value[2] = clusterZ;
  LaunchConfig config{{unsigned(gridX), unsigned(gridY), unsigned(gridZ)},
                      {unsigned(blockX), unsigned(blockY), unsigned(blockZ)},
                      unsigned(sharedMemory),
                      stream,
                      &attribute,
                      1};
  // Above eight blocks is not what each chip can do: that too is asked for.
  bool isLarge = clusterX * clusterY * clusterZ > 8;
  if (CHECK(cuFuncSetAttribute, function, MaxDynamicSharedMemory,
            sharedMemory) &&
      (!isLarge ||
       CHECK(cuFuncSetAttribute, function, NonPortableClusterSizeAllowed, 1)))
    CHECK(cuLaunchKernelEx, &config, function, arguments, extra);
}

static void *mgpuStreamCreate() {
  void *stream = nullptr;
  CHECK(cuStreamCreate, &stream, 0);
  return stream;
}

static void mgpuStreamSynchronize(void *stream) {
  CHECK(cuStreamSynchronize, stream);
}

static void mgpuStreamDestroy(void *stream) {
  CHECK(cuStreamDestroy_v2, stream);
}

/// gpu.alloc: the workspaces of kernels that need one.
static void *mgpuMemAlloc(uint64_t bytes, void *stream, bool hostShared) {
  return cuda::allocate(bytes);
}

static void mgpuMemFree(void *memory, void *stream) { cuda::release(memory); }

/// What tcgemm-launch-to-gpu calls: the codes are the driver's.
static int32_t tcgemm_encode_tensor_map(void *map, int32_t type, int32_t rank,
                                        void *base, const int64_t *dims,
                                        const int64_t *strides,
                                        const int32_t *box, int32_t swizzle,
                                        int32_t promotion) {
  const uint32_t elementStrides[] = {1, 1, 1, 1, 1};
  if (!driver.cuTensorMapEncodeTiled)
    return !driver.check(NotSupported, "cuTensorMapEncodeTiled");
  return !CHECK(cuTensorMapEncodeTiled, map, type, rank, base,
                reinterpret_cast<const uint64_t *>(dims),
                reinterpret_cast<const uint64_t *>(strides),
                reinterpret_cast<const uint32_t *>(box), elementStrides,
                /*interleave=*/0, swizzle, promotion, /*fill=*/0);
}

llvm::orc::SymbolMap cuda::getSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported};
  };
  add("mgpuModuleLoad", &mgpuModuleLoad);
  add("mgpuModuleLoadJIT", &mgpuModuleLoadJIT);
  add("mgpuModuleUnload", &mgpuModuleUnload);
  add("mgpuModuleGetFunction", &mgpuModuleGetFunction);
  add("mgpuLaunchKernel", &mgpuLaunchKernel);
  add("mgpuLaunchClusterKernel", &mgpuLaunchClusterKernel);
  add("tcgemm_encode_tensor_map", &tcgemm_encode_tensor_map);
  add("mgpuStreamCreate", &mgpuStreamCreate);
  add("mgpuStreamSynchronize", &mgpuStreamSynchronize);
  add("mgpuStreamDestroy", &mgpuStreamDestroy);
  add("mgpuMemAlloc", &mgpuMemAlloc);
  add("mgpuMemFree", &mgpuMemFree);
  return symbols;
}
