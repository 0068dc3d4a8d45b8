//===- Driver.cpp - The CUDA driver and the thread's device ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

using namespace tcgemm;
using namespace tcgemm::gpu_runtime;

using LookUp = void *(*)(const char *name);

namespace {
/// The state that all threads share. Devices stay open until the process ends,
/// because lowered code unloads its modules in destructors.
struct Shared {
  std::mutex mutex;
  std::string path; ///< Empty: the default path.
  LookUp lookUp = nullptr;
  std::unique_ptr<Driver> driver;
  std::map<int, std::unique_ptr<OpenDevice>> devices;
  int defaultOrdinal = -1; ///< The first opened device.
};
} // namespace

/// Never destroyed, because code may call it while the process ends.
static Shared &getShared() {
  static Shared *shared = new Shared;
  return *shared;
}

static thread_local int threadOrdinal = -1;

bool Driver::check(Result result, const char *call, const char *log) const {
  if (result == cuda::Success)
    return true;
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != cuda::Success || !name)
    name = "unknown error";
  if (cuGetErrorString(result, &text) != cuda::Success || !text)
    text = "no description";
  std::string message = std::string(call) + ": " + name + " (" +
                        std::to_string(result) + "): " + text;
  if (*log)
    message += std::string(": ") + log;
  setError(std::move(message));
  return false;
}

/// Loads the library, which is never unloaded. Returns null and sets an error
/// if it is missing.
static void *openLibrary(const std::string &given) {
  const char *variable = std::getenv("TCGEMM_CUDA_DRIVER");
  std::string path = !given.empty()          ? given
                     : variable && *variable ? variable
                                             : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW);
  if (!library)
    setError("no CUDA driver: cannot load " + path + " (" + dlerror() + ")");
  return library;
}

/// The driver, which is loaded if necessary. The caller holds the mutex.
static const Driver *loadDriver(Shared &shared) {
  if (shared.driver)
    return shared.driver.get();
  void *library = shared.lookUp ? nullptr : openLibrary(shared.path);
  if (!library && !shared.lookUp)
    return nullptr;
  auto find = [&](const char *name) {
    return shared.lookUp ? shared.lookUp(name) : dlsym(library, name);
  };
  auto driver = std::make_unique<Driver>();
#define TCGEMM_LOAD(name, parameters)                                          \
  driver->name = reinterpret_cast<Result(*) parameters>(find(#name));          \
  if (!driver->name) {                                                         \
    setError("the CUDA driver is too old: it has no " #name);                  \
    return nullptr;                                                            \
  }
  TCGEMM_DRIVER_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
#define TCGEMM_LOAD(name, parameters)                                          \
  driver->name = reinterpret_cast<Result(*) parameters>(find(#name));
  TCGEMM_OPTIONAL_DRIVER_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
  if (!driver->check(driver->cuInit(0), "cuInit"))
    return nullptr;
  shared.driver = std::move(driver);
  return shared.driver.get();
}

const OpenDevice *gpu_runtime::getDevice(int ordinal) {
  Shared &shared = getShared();
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (auto known = shared.devices.find(ordinal); known != shared.devices.end())
    return known->second.get();
  const Driver *driver = loadDriver(shared);
  if (!driver)
    return nullptr;
  auto device = std::make_unique<OpenDevice>();
  device->driver = driver;
  int hasPools = 0;
  if (!driver->check(driver->cuDeviceGet(&device->handle, ordinal),
                     "cuDeviceGet") ||
      !driver->check(
          driver->cuDevicePrimaryCtxRetain(&device->context, device->handle),
          "cuDevicePrimaryCtxRetain"))
    return nullptr;
  // An old driver without this attribute has no memory pools.
  device->hasMemoryPools =
      driver->cuMemAllocAsync && driver->cuMemFreeAsync &&
      driver->cuDeviceGetAttribute(&hasPools, cuda::MemoryPoolsSupported,
                                   device->handle) == cuda::Success &&
      hasPools;
  if (shared.defaultOrdinal < 0)
    shared.defaultOrdinal = ordinal;
  return shared.devices.emplace(ordinal, std::move(device)).first->second.get();
}

const OpenDevice *gpu_runtime::getThreadDevice() {
  int ordinal = threadOrdinal;
  if (ordinal < 0) {
    Shared &shared = getShared();
    std::lock_guard<std::mutex> lock(shared.mutex);
    ordinal = shared.defaultOrdinal < 0 ? 0 : shared.defaultOrdinal;
  }
  return getDevice(ordinal);
}

void gpu_runtime::setThreadDevice(int ordinal) { threadOrdinal = ordinal; }

Scope::Scope(Kind kind) {
  if (kind == Work && hasError())
    return;
  const OpenDevice *found = getThreadDevice();
  if (found &&
      found->driver->check(found->driver->cuCtxPushCurrent_v2(found->context),
                           "cuCtxPushCurrent_v2"))
    device = found;
}

Scope::~Scope() {
  Context popped = nullptr;
  if (device)
    device->driver->check(device->driver->cuCtxPopCurrent_v2(&popped),
                          "cuCtxPopCurrent_v2");
}

//===----------------------------------------------------------------------===//
// Functions for programs
//===----------------------------------------------------------------------===//

/// Applies `set` unless the driver is in use.
template <typename Function>
static int32_t changeDriver(const char *call, Function &&set) {
  Shared &shared = getShared();
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.driver) {
    setError(std::string(call) + ": the driver is already in use");
    return 1;
  }
  set(shared);
  return 0;
}

int32_t tcgemm_gpu_set_driver(const char *path) {
  return changeDriver("tcgemm_gpu_set_driver",
                      [&](Shared &shared) { shared.path = path ? path : ""; });
}

int32_t tcgemm_gpu_set_driver_functions(void *(*look_up)(const char *)) {
  return changeDriver("tcgemm_gpu_set_driver_functions",
                      [&](Shared &shared) { shared.lookUp = look_up; });
}

/// Architecture-specific features exist from sm_90 on.
static void nameChips(int major, int minor, tcgemm_gpu_device &device) {
  std::string chip = "sm_" + std::to_string(major * 10 + minor);
  std::strncpy(device.chip, chip.c_str(), sizeof device.chip - 1);
  if (major >= 9)
    std::strncpy(device.arch_chip, (chip + "a").c_str(),
                 sizeof device.arch_chip - 1);
}

int32_t tcgemm_gpu_open(int32_t ordinal, tcgemm_gpu_device *result) {
  if (hasError())
    return 1;
  const OpenDevice *device = getDevice(ordinal);
  if (!device)
    return 1;
  tcgemm_gpu_device described{};
  described.ordinal = ordinal;
  int major = 0, minor = 0, count = 0;
  const Driver &driver = *device->driver;
  auto get = [&](int *value, cuda::DeviceAttribute attribute) {
    return driver.check(
        driver.cuDeviceGetAttribute(value, attribute, device->handle),
        "cuDeviceGetAttribute");
  };
  if (!driver.check(driver.cuDeviceGetName(
                        described.name, sizeof described.name, device->handle),
                    "cuDeviceGetName") ||
      !get(&major, cuda::ComputeCapabilityMajor) ||
      !get(&minor, cuda::ComputeCapabilityMinor) ||
      !get(&count, cuda::MultiprocessorCount))
    return 1;
  nameChips(major, minor, described);
  described.sm_count = count;
  setThreadDevice(ordinal);
  if (result)
    *result = described;
  return 0;
}
