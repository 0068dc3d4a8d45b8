//===- EmulatedDriver.cpp - The driver's functions ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/EmulatedDriver/EmulatedDriver.h"

#include "State.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::cuda;
using emulated_driver::fail;
using emulated_driver::Handles;
using emulated_driver::LoadedFunction;
using emulated_driver::LoadedModule;
using emulated_driver::State;
using emulated_driver::Token;
using llvm::Error;
using llvm::Expected;

namespace {
/// The contexts of a thread, and its last error's text.
struct Thread {
  std::vector<Context> contexts;
  Result code = Success;
  std::string text;
};

Thread &getThread() {
  thread_local Thread thread;
  return thread;
}

Result finish(Error error) {
  if (!error)
    return Success;
  Thread &thread = getThread();
  thread.code = InvalidValue;
  thread.text.clear();
  llvm::handleAllErrors(
      std::move(error),
      [&](const emulated_driver::Failure &failure) {
        thread.code = failure.getCode();
        thread.text = failure.message();
      },
      [&](const llvm::ErrorInfoBase &other) { thread.text = other.message(); });
  return thread.code;
}

/// The one context. Only its address is used.
Context getContext() {
  static char context;
  return reinterpret_cast<Context>(&context);
}

/// Runs `body(state)` with the mutex held; cuInit must have been called.
template <typename Body> Result runOpen(Body &&body) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.device)
    return finish(fail(NotInitialized, "cuInit was not called"));
  return finish(body(state));
}

/// The same of what needs a context.
template <typename Body> Result run(Body &&body) {
  return runOpen([&](State &state) -> Error {
    const std::vector<Context> &contexts = getThread().contexts;
    if (contexts.empty() || !contexts.back())
      return fail(InvalidContext, "the thread has no current context");
    return body(state);
  });
}

template <typename Handle>
Result create(Handle *handle, Handles<Token> State::*handles) {
  return run([&](State &state) {
    *handle = reinterpret_cast<Handle>(
        (state.*handles).add(std::make_unique<Token>()));
    return Error::success();
  });
}

Result destroy(const void *handle, Handles<Token> State::*handles,
               const char *kind) {
  return run([&](State &state) {
    return (state.*handles).erase(handle)
               ? Error::success()
               : fail(InvalidHandle, llvm::Twine("not ") + kind);
  });
}

Result copy(DevicePointer target, DevicePointer source, size_t bytes,
            Stream stream = nullptr) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.copy(target, source, bytes);
  });
}

DevicePointer toAddress(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

template <typename T>
Result fill(DevicePointer target, T value, size_t count,
            Stream stream = nullptr) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    if (!State::isOnDevice(target) || target % sizeof(T))
      return fail(InvalidValue, "not an aligned address of the device");
    std::vector<T> values(count, value);
    return state.device->copyToDevice(target, values.data(), count * sizeof(T));
  });
}

Expected<int64_t> getAttribute(const DeviceProperties &device, int attribute) {
  switch (attribute) {
  case MultiprocessorCount:
    return device.smCount;
  case L2CacheSize:
    return device.l2Bytes;
  case ComputeCapabilityMajor:
    return device.major;
  case ComputeCapabilityMinor:
    return device.minor;
  case MaxSharedMemoryPerBlockOptin:
    return device.sharedMemoryPerBlock;
  case MemoryPoolsSupported:
    return 1;
  default:
    return fail(InvalidValue,
                "device attribute " + llvm::Twine(attribute) + " is not known");
  }
}

Error setAttribute(State &state, LoadedFunction &function, int attribute,
                   int value) {
  if (attribute == NonPortableClusterSizeAllowed) {
    function.maxCluster = value ? 16 : kMaxPortableCluster;
    return Error::success();
  }
  if (attribute != MaxDynamicSharedSizeBytes)
    return fail(InvalidValue, "function attribute " + llvm::Twine(attribute) +
                                  " is not known");
  int64_t limit = state.device->getProperties().sharedMemoryPerBlock;
  if (value < 0 || value > limit)
    return fail(InvalidValue, llvm::Twine(value) +
                                  " bytes of shared memory, but the limit is " +
                                  llvm::Twine(limit));
  function.maxSharedMemory = static_cast<unsigned>(value);
  return Error::success();
}

/// The inverse of getTensorMapTypeCode and its like.
Expected<TensorMapDescription>
describeTensorMap(int type, uint32_t rank, void *base, const uint64_t *dims,
                  const uint64_t *strides, const uint32_t *box, int swizzle,
                  int promotion) {
  TensorMapDescription map;
  bool isKnown = false;
  for (ScalarType each :
       {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
        ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
    if (getTensorMapTypeCode(each) == static_cast<unsigned>(type)) {
      map.type = each;
      isKnown = true;
    }
  if (!isKnown || rank < kMinTensorMapRank || rank > kMaxTensorMapRank ||
      swizzle < 0 || swizzle > 3 || promotion < 0 || promotion > 3)
    return fail(InvalidValue, "a code of a tensor map is not known");
  map.base = toAddress(base);
  map.dims.assign(dims, dims + rank);
  map.strides.assign(strides, strides + rank - 1);
  map.box.assign(box, box + rank);
  constexpr unsigned spans[] = {0, 32, 64, 128},
                     promotions[] = {0, 64, 128, 256};
  map.swizzle = spans[swizzle];
  map.l2Promotion = promotions[promotion];
  return map;
}
} // namespace

//===----------------------------------------------------------------------===//
// The API. Declared first: libraries export these names.
//===----------------------------------------------------------------------===//

#define TCGEMM_EMULATED_FUNCTIONS(X)                                           \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (Result, const char **))                                   \
  X(cuGetErrorString, (Result, const char **))                                 \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (DeviceHandle *, int))                                        \
  X(cuDeviceGetName, (char *, int, DeviceHandle))                              \
  X(cuDeviceGetAttribute, (int *, int, DeviceHandle))                          \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceHandle))                       \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                              \
  X(cuCtxSetCurrent, (Context))                                                \
  X(cuCtxPushCurrent_v2, (Context))                                            \
  X(cuCtxPopCurrent_v2, (Context *))                                           \
  X(cuCtxSynchronize, ())                                                      \
  X(cuModuleLoadData, (ModuleHandle *, const void *))                          \
  X(cuModuleLoadDataEx,                                                        \
    (ModuleHandle *, const void *, unsigned, int *, void **))                  \
  X(cuModuleUnload, (ModuleHandle))                                            \
  X(cuModuleGetFunction, (Function *, ModuleHandle, const char *))             \
  X(cuModuleGetGlobal_v2,                                                      \
    (DevicePointer *, size_t *, ModuleHandle, const char *))                   \
  X(cuFuncSetAttribute, (Function, int, int))                                  \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(cuMemAllocAsync, (DevicePointer *, size_t, Stream))                        \
  X(cuMemFree_v2, (DevicePointer))                                             \
  X(cuMemFreeAsync, (DevicePointer, Stream))                                   \
  X(cuPointerGetAttribute, (void *, int, DevicePointer))                       \
  X(cuMemcpy, (DevicePointer, DevicePointer, size_t))                          \
  X(cuMemcpyAsync, (DevicePointer, DevicePointer, size_t, Stream))             \
  X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                    \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                          \
  X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))             \
  X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                   \
  X(cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))      \
  X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                     \
  X(cuMemsetD16_v2, (DevicePointer, unsigned short, size_t))                   \
  X(cuMemsetD16Async, (DevicePointer, unsigned short, size_t, Stream))         \
  X(cuMemsetD32_v2, (DevicePointer, unsigned, size_t))                         \
  X(cuMemsetD32Async, (DevicePointer, unsigned, size_t, Stream))               \
  X(cuStreamCreate, (Stream *, unsigned))                                      \
  X(cuStreamDestroy_v2, (Stream))                                              \
  X(cuStreamSynchronize, (Stream))                                             \
  X(cuStreamWaitEvent, (Stream, Event, unsigned))                              \
  X(cuStreamBeginCapture_v2, (Stream, int))                                    \
  X(cuStreamEndCapture, (Stream, GraphHandle *))                               \
  X(cuGraphInstantiateWithFlags,                                               \
    (GraphExec *, GraphHandle, unsigned long long))                            \
  X(cuGraphLaunch, (GraphExec, Stream))                                        \
  X(cuGraphExecDestroy, (GraphExec))                                           \
  X(cuGraphDestroy, (GraphHandle))                                             \
  X(cuEventCreate, (Event *, unsigned))                                        \
  X(cuEventDestroy_v2, (Event))                                                \
  X(cuEventRecord, (Event, Stream))                                            \
  X(cuEventSynchronize, (Event))                                               \
  X(cuEventElapsedTime, (float *, Event, Event))                               \
  X(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned,         \
                     unsigned, unsigned, unsigned, Stream, void **, void **))  \
  X(cuLaunchKernelEx, (const LaunchConfigEx *, Function, void **, void **))    \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

extern "C" {
#define TCGEMM_DECLARE(name, parameters) Result name parameters;
TCGEMM_EMULATED_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
}

Result cuInit(unsigned) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return finish(state.open());
}

Result cuDriverGetVersion(int *version) {
  *version = 12020;
  return Success;
}

Result cuGetErrorName(Result result, const char **name) {
  switch (result) {
#define TCGEMM_NAME(code, text)                                                \
  case code:                                                                   \
    *name = text;                                                              \
    return Success;
    TCGEMM_NAME(Success, "CUDA_SUCCESS")
    TCGEMM_NAME(InvalidValue, "CUDA_ERROR_INVALID_VALUE")
    TCGEMM_NAME(OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY")
    TCGEMM_NAME(NotInitialized, "CUDA_ERROR_NOT_INITIALIZED")
    TCGEMM_NAME(NoDevice, "CUDA_ERROR_NO_DEVICE")
    TCGEMM_NAME(InvalidDevice, "CUDA_ERROR_INVALID_DEVICE")
    TCGEMM_NAME(InvalidContext, "CUDA_ERROR_INVALID_CONTEXT")
    TCGEMM_NAME(InvalidPtx, "CUDA_ERROR_INVALID_PTX")
    TCGEMM_NAME(InvalidHandle, "CUDA_ERROR_INVALID_HANDLE")
    TCGEMM_NAME(NotFound, "CUDA_ERROR_NOT_FOUND")
    TCGEMM_NAME(IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS")
    TCGEMM_NAME(LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED")
    TCGEMM_NAME(NotSupported, "CUDA_ERROR_NOT_SUPPORTED")
#undef TCGEMM_NAME
  default:
    return InvalidValue;
  }
}

Result cuGetErrorString(Result result, const char **text) {
  const Thread &thread = getThread();
  if (result == thread.code && result != Success)
    *text = thread.text.c_str();
  else
    *text = "an error of the emulated driver";
  return Success;
}

Result cuDeviceGetCount(int *count) {
  *count = 1;
  return Success;
}

Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  return runOpen([&](State &) -> Error {
    if (ordinal != 0)
      return fail(InvalidDevice, "there is device 0 alone");
    *device = 0;
    return Error::success();
  });
}

Result cuDeviceGetName(char *name, int length, DeviceHandle) {
  std::snprintf(name, size_t(length), "the emulator");
  return Success;
}

Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  return runOpen([&](State &state) -> Error {
    Expected<int64_t> found =
        getAttribute(state.device->getProperties(), attribute);
    if (!found)
      return found.takeError();
    *value = static_cast<int>(*found);
    return Error::success();
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle) {
  *context = getContext();
  return Success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return Success; }

Result cuCtxSetCurrent(Context context) {
  std::vector<Context> &contexts = getThread().contexts;
  if (contexts.empty())
    contexts.push_back(context);
  contexts.back() = context;
  return Success;
}

Result cuCtxPushCurrent_v2(Context context) {
  getThread().contexts.push_back(context);
  return Success;
}

Result cuCtxPopCurrent_v2(Context *context) {
  std::vector<Context> &contexts = getThread().contexts;
  if (contexts.empty())
    return finish(fail(InvalidContext, "the thread has no current context"));
  *context = contexts.back();
  contexts.pop_back();
  return Success;
}

Result cuCtxSynchronize() {
  return run([](State &) { return Error::success(); });
}

Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> loaded =
        state.loadModule(static_cast<const char *>(image));
    if (!loaded)
      return loaded.takeError();
    *module = reinterpret_cast<ModuleHandle>(*loaded);
    return Error::success();
  });
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned,
                          int *, void **) {
  return cuModuleLoadData(module, image);
}

Result cuModuleUnload(ModuleHandle handle) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    for (const auto &[name, function] : (*module)->functions)
      state.functions.erase(function.get());
    state.modules.erase(handle);
    return Error::success();
  });
}

Result cuModuleGetFunction(Function *function, ModuleHandle handle,
                           const char *name) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    Expected<LoadedFunction *> found = state.getFunction(**module, name);
    if (!found)
      return found.takeError();
    *function = reinterpret_cast<Function>(*found);
    return Error::success();
  });
}

Result cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes,
                            ModuleHandle handle, const char *name) {
  return run([&](State &state) -> Error {
    Expected<LoadedModule *> module = state.findModule(handle);
    if (!module)
      return module.takeError();
    auto variable = (*module)->module->getVariable(name);
    if (!variable)
      return emulated_driver::withCode(NotFound, variable.takeError());
    if (address)
      *address = variable->first;
    if (bytes)
      *bytes = variable->second;
    return Error::success();
  });
}

Result cuFuncSetAttribute(Function handle, int attribute, int value) {
  return run([&](State &state) -> Error {
    Expected<LoadedFunction *> function = state.findFunction(handle);
    if (!function)
      return function.takeError();
    return setAttribute(state, **function, attribute, value);
  });
}

Result cuMemAllocAsync(DevicePointer *address, size_t bytes, Stream stream) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.allocate(*address, bytes);
  });
}

Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  return cuMemAllocAsync(address, bytes, nullptr);
}

Result cuMemFreeAsync(DevicePointer address, Stream stream) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.free(address);
  });
}

Result cuMemFree_v2(DevicePointer address) {
  return cuMemFreeAsync(address, nullptr);
}

Result cuPointerGetAttribute(void *value, int attribute,
                             DevicePointer address) {
  enum { MemoryType = 2, DeviceMemory = 2 };
  return run([&](State &) -> Error {
    if (attribute != MemoryType || !State::isOnDevice(address))
      return fail(InvalidValue, "not memory of the driver, or an attribute "
                                "that is not known");
    *static_cast<unsigned *>(value) = DeviceMemory;
    return Error::success();
  });
}

Result cuMemcpy(DevicePointer target, DevicePointer source, size_t bytes) {
  return copy(target, source, bytes);
}
Result cuMemcpyAsync(DevicePointer target, DevicePointer source, size_t bytes,
                     Stream stream) {
  return copy(target, source, bytes, stream);
}
Result cuMemcpyHtoD_v2(DevicePointer target, const void *source, size_t bytes) {
  return copy(target, toAddress(source), bytes);
}
Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source,
                            size_t bytes, Stream stream) {
  return copy(target, toAddress(source), bytes, stream);
}
Result cuMemcpyDtoH_v2(void *target, DevicePointer source, size_t bytes) {
  return copy(toAddress(target), source, bytes);
}
Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes,
                            Stream stream) {
  return copy(toAddress(target), source, bytes, stream);
}
Result cuMemcpyDtoD_v2(DevicePointer target, DevicePointer source,
                       size_t bytes) {
  return copy(target, source, bytes);
}
Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                            size_t bytes, Stream stream) {
  return copy(target, source, bytes, stream);
}

Result cuMemsetD8_v2(DevicePointer target, unsigned char value, size_t count) {
  return fill(target, value, count);
}
Result cuMemsetD16_v2(DevicePointer target, unsigned short value,
                      size_t count) {
  return fill(target, value, count);
}
Result cuMemsetD16Async(DevicePointer target, unsigned short value,
                        size_t count, Stream stream) {
  return fill(target, value, count, stream);
}
Result cuMemsetD32_v2(DevicePointer target, unsigned value, size_t count) {
  return fill(target, value, count);
}
Result cuMemsetD32Async(DevicePointer target, unsigned value, size_t count,
                        Stream stream) {
  return fill(target, value, count, stream);
}

Result cuStreamCreate(Stream *stream, unsigned) {
  return create(stream, &State::streams);
}
Result cuStreamDestroy_v2(Stream stream) {
  return destroy(stream, &State::streams, "a stream");
}
Result cuStreamSynchronize(Stream stream) {
  return run([&](State &state) { return state.checkStream(stream); });
}
Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.checkEvent(event);
  });
}

Result cuStreamBeginCapture_v2(Stream stream, int) {
  return run([&](State &state) -> Error {
    state.isCapturing = true;
    return state.checkStream(stream);
  });
}
Result cuStreamEndCapture(Stream stream, GraphHandle *graph) {
  Result result = run([&](State &state) -> Error {
    state.isCapturing = false;
    return state.checkStream(stream);
  });
  return result == Success ? create(graph, &State::graphs) : result;
}
Result cuGraphInstantiateWithFlags(GraphExec *exec, GraphHandle,
                                   unsigned long long) {
  return create(exec, &State::graphs);
}
Result cuGraphLaunch(GraphExec, Stream stream) {
  return cuStreamSynchronize(stream);
}
Result cuGraphExecDestroy(GraphExec exec) {
  return destroy(exec, &State::graphs, "a graph");
}
Result cuGraphDestroy(GraphHandle graph) {
  return destroy(graph, &State::graphs, "a graph");
}

Result cuEventCreate(Event *event, unsigned) {
  return create(event, &State::events);
}
Result cuEventDestroy_v2(Event event) {
  return destroy(event, &State::events, "an event");
}
Result cuEventRecord(Event event, Stream stream) {
  return cuStreamWaitEvent(stream, event, 0);
}
Result cuEventSynchronize(Event event) {
  return run([&](State &state) { return state.checkEvent(event); });
}
Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 60;
  return Success;
}

Result cuLaunchKernelEx(const LaunchConfigEx *config, Function handle,
                        void **arguments, void **extra) {
  return run([&](State &state) -> Error {
    Expected<LoadedFunction *> function = state.findFunction(handle);
    if (!function)
      return function.takeError();
    if (extra && *extra)
      return fail(NotSupported, "arguments in one buffer are not supported");
    return state.launch(*config, **function, arguments);
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedMemory, Stream stream,
                      void **arguments, void **extra) {
  LaunchConfigEx config{{gridX, gridY, gridZ},
                        {blockX, blockY, blockZ},
                        sharedMemory,
                        stream,
                        nullptr,
                        0};
  return cuLaunchKernelEx(&config, function, arguments, extra);
}

Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base,
                              const uint64_t *dims, const uint64_t *strides,
                              const uint32_t *box, const uint32_t *, int,
                              int swizzle, int promotion, int) {
  return run([&](State &state) -> Error {
    Expected<TensorMapDescription> description = describeTensorMap(
        type, rank, base, dims, strides, box, swizzle, promotion);
    if (!description)
      return description.takeError();
    Expected<TensorMapImage> image =
        state.device->encodeTensorMap(*description);
    if (!image)
      return image.takeError();
    std::memcpy(map, image->data(), image->size());
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// For programs that link it
//===----------------------------------------------------------------------===//

void *tcgemm::findEmulatedDriverFunction(const char *name) {
  static const llvm::StringMap<void *> functions = {
#define TCGEMM_ENTRY(name, parameters) {#name, reinterpret_cast<void *>(&name)},
      TCGEMM_EMULATED_FUNCTIONS(TCGEMM_ENTRY)
#undef TCGEMM_ENTRY
  };
  return functions.lookup(name);
}

void tcgemm::setEmulatedDriverOptions(const EmulatorOptions &options) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.hasOptions = true;
  state.options = options;
}

uint64_t tcgemm::takeEmulatedDriverFindings() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return std::exchange(state.numFindings, 0);
}
