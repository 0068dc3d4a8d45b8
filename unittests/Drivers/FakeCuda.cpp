//===- FakeCuda.cpp - CUDA driver that runs nothing -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One GPU whose memory is the host's. Kernels do nothing.
//
//   FAKE_CUDA_DEVICES  the number of GPUs (1)
//   FAKE_CUDA_LOAD     the result of loading a module (0, success)
//   FAKE_CUDA_CLOCK    MHz that the kernel of a calibration reads (0: it reads
//                      nothing)
//   FAKE_CUDA_SHOW     whether launches are shown on stderr (0)
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace tcgemm::cuda;

static int getSetting(const char *name, int usual) {
  const char *text = std::getenv(name);
  return text ? static_cast<int>(std::strtol(text, nullptr, 0)) : usual;
}

static void *getHost(DevicePointer pointer) {
  return reinterpret_cast<void *>(pointer); // NOLINT(performance-no-int-to-ptr)
}

/// Something to point to.
static char handle;
template <typename T> static Result makeHandle(T *target) {
  *target = reinterpret_cast<T>(&handle);
  return Success;
}

extern "C" {

Result cuInit(unsigned) { return Success; }
Result cuDriverGetVersion(int *version) {
  *version = 12020;
  return Success;
}
Result cuGetErrorName(Result result, const char **name) {
  *name = result == 200   ? "CUDA_ERROR_INVALID_IMAGE"
          : result == 209 ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : result == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
                          : "CUDA_ERROR_UNKNOWN";
  return Success;
}
Result cuGetErrorString(Result, const char **text) {
  *text = "said by the fake driver";
  return Success;
}
Result cuDeviceGetCount(int *count) {
  *count = getSetting("FAKE_CUDA_DEVICES", 1);
  return Success;
}
Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  *device = ordinal;
  return Success;
}
Result cuDeviceGetName(char *name, int size, DeviceHandle) {
  std::snprintf(name, size, "Fake GPU");
  return Success;
}
Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  switch (attribute) {
  case MultiprocessorCount:
    *value = 132;
    break;
  case L2CacheSize:
    *value = 1 << 16;
    break;
  case ComputeCapabilityMajor:
    *value = 9;
    break;
  case ComputeCapabilityMinor:
    *value = 0;
    break;
  default:
    *value = 232448;
  }
  return Success;
}
Result cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle) {
  *bytes = size_t(1) << 30;
  return Success;
}
Result cuDeviceGetPCIBusId(char *name, int size, DeviceHandle) {
  std::snprintf(name, size, "0000:3B:00.0");
  return Success;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle) {
  return makeHandle(context);
}
Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return Success; }
Result cuCtxSetCurrent(Context) { return Success; }
Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  *pointer = reinterpret_cast<DevicePointer>(std::calloc(bytes, 1));
  return *pointer ? Success : 2;
}
Result cuMemFree_v2(DevicePointer pointer) {
  std::free(getHost(pointer));
  return Success;
}
Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source,
                            size_t bytes, Stream) {
  std::memcpy(getHost(target), source, bytes);
  return Success;
}
Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes,
                            Stream) {
  std::memcpy(target, getHost(source), bytes);
  return Success;
}
Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                            size_t bytes, Stream) {
  std::memcpy(getHost(target), getHost(source), bytes);
  return Success;
}
Result cuMemsetD32Async(DevicePointer target, unsigned value, size_t count,
                        Stream) {
  std::fill_n(static_cast<unsigned *>(getHost(target)), count, value);
  return Success;
}
Result cuModuleLoadDataEx(ModuleHandle *module, const void *, unsigned, int *,
                          void **) {
  *module = reinterpret_cast<ModuleHandle>(&handle);
  return getSetting("FAKE_CUDA_LOAD", Success);
}
Result cuModuleUnload(ModuleHandle) { return Success; }
/// The kernel that reads clocks.
static char clockKernel;
Result cuModuleGetFunction(Function *function, ModuleHandle, const char *name) {
  if (std::strcmp(name, "tcgemm_clocks") != 0)
    return makeHandle(function);
  *function = reinterpret_cast<Function>(&clockKernel);
  return Success;
}
/// Its readings: clocks, nanoseconds, and the step of the latter.
static void readClocks(void **arguments) {
  DevicePointer results = 0;
  uint64_t nanoseconds = 0;
  std::memcpy(&results, arguments[0], sizeof(results));
  std::memcpy(&nanoseconds, arguments[1], sizeof(nanoseconds));
  uint64_t megahertz = getSetting("FAKE_CUDA_CLOCK", 0);
  uint64_t readings[] = {nanoseconds * megahertz / 1000, nanoseconds, 32};
  if (megahertz)
    std::memcpy(getHost(results), readings, sizeof(readings));
}
Result cuModuleGetGlobal_v2(DevicePointer *, size_t *, ModuleHandle,
                            const char *) {
  return NotFound;
}
Result cuFuncSetAttribute(Function, int, int) { return Success; }
Result cuLaunchKernel(Function function, unsigned x, unsigned y, unsigned z,
                      unsigned, unsigned, unsigned, unsigned, Stream,
                      void **arguments, void **) {
  if (reinterpret_cast<char *>(function) == &clockKernel)
    readClocks(arguments);
  if (getSetting("FAKE_CUDA_SHOW", 0))
    std::fprintf(stderr, "launch %ux%ux%u\n", x, y, z);
  return Success;
}
Result cuLaunchKernelEx(const LaunchConfigEx *config, Function, void **,
                        void **) {
  if (!getSetting("FAKE_CUDA_SHOW", 0))
    return Success;
  std::fprintf(stderr, "launch %ux%ux%u", config->grid[0], config->grid[1],
               config->grid[2]);
  for (unsigned i = 0; i != config->numAttributes; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    std::fprintf(stderr, " attribute %d = %u %u %u", attribute.id,
                 attribute.value[0], attribute.value[1], attribute.value[2]);
  }
  std::fprintf(stderr, "\n");
  return Success;
}
Result cuTensorMapEncodeTiled(void *, int, uint32_t, void *, const uint64_t *,
                              const uint64_t *, const uint32_t *,
                              const uint32_t *, int, int, int, int) {
  return Success;
}
Result cuTensorMapEncodeIm2col(void *, int, uint32_t, void *, const uint64_t *,
                               const uint64_t *, const int *, const int *,
                               uint32_t, uint32_t, const uint32_t *, int, int,
                               int, int) {
  return Success;
}
Result cuStreamCreate(Stream *stream, unsigned) { return makeHandle(stream); }
Result cuStreamDestroy_v2(Stream) { return Success; }
Result cuStreamSynchronize(Stream) { return Success; }
Result cuStreamBeginCapture_v2(Stream, int) { return Success; }
Result cuStreamEndCapture(Stream, GraphHandle *graph) {
  return makeHandle(graph);
}
Result cuGraphInstantiateWithFlags(GraphExec *exec, GraphHandle,
                                   unsigned long long) {
  return makeHandle(exec);
}
Result cuGraphLaunch(GraphExec, Stream) { return Success; }
Result cuGraphDestroy(GraphHandle) { return Success; }
Result cuGraphExecDestroy(GraphExec) { return Success; }
Result cuEventCreate(Event *event, unsigned) { return makeHandle(event); }
Result cuEventDestroy_v2(Event) { return Success; }
Result cuEventRecord(Event, Stream) { return Success; }
Result cuEventSynchronize(Event) { return Success; }
Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 0.01F;
  return Success;
}

} // extern "C"

// Checks that all functions that tcgemm loads exist, with its parameters.
#define CHECK(name, parameters)                                                \
  static_assert(std::is_same_v<decltype(&(name)), decltype(Driver::name)>);
TCGEMM_CUDA_FUNCTIONS(CHECK)
