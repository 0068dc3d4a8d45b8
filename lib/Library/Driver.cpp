//===- Driver.cpp - The CUDA driver of a process --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Failure.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error load(Driver &driver) {
  const char *variable = std::getenv("TCGEMM_CUDA_DRIVER");
  std::string path = variable && *variable ? variable : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(TCGEMM_NO_DEVICE, Twine("no CUDA driver: cannot load ") + path +
                                      " (" + dlerror() + ")");
#define TCGEMM_LOAD(name, parameters)                                          \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));
  TCGEMM_LIBRARY_OPTIONAL_FUNCTIONS(TCGEMM_LOAD)
#define TCGEMM_REQUIRE(name, parameters)                                       \
  TCGEMM_LOAD(name, parameters)                                                \
  if (!driver.name)                                                            \
    return fail(TCGEMM_NO_DEVICE,                                              \
                "the CUDA driver is too old: it has no " #name);
  TCGEMM_LIBRARY_FUNCTIONS(TCGEMM_REQUIRE)
#undef TCGEMM_REQUIRE
#undef TCGEMM_LOAD
#define TCGEMM_LOAD(name, parameters)                                          \
  driver.run.name =                                                            \
      reinterpret_cast<decltype(driver.run.name)>(dlsym(library, #name));
  TCGEMM_MAP_FUNCTIONS(TCGEMM_LOAD)
#define TCGEMM_REQUIRE(name, parameters)                                       \
  TCGEMM_LOAD(name, parameters)                                                \
  if (!driver.run.name)                                                        \
    return fail(TCGEMM_NO_DEVICE,                                              \
                "the CUDA driver is too old: it has no " #name);
  TCGEMM_RUN_FUNCTIONS(TCGEMM_REQUIRE)
#undef TCGEMM_REQUIRE
#undef TCGEMM_LOAD
  if (cuda::Result result = driver.cuInit(0))
    return fail(TCGEMM_NO_DEVICE, "cuInit: " + driver.describe(result));
  return Error::success();
}

Expected<const Driver &> Driver::get() {
  static std::mutex mutex;
  // Never destroyed: destructors of the program may destroy plans.
  static Driver *loaded = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded)
    return *loaded;
  auto driver = std::make_unique<Driver>();
  if (Error error = load(*driver))
    return std::move(error);
  loaded = driver.release();
  return *loaded;
}

std::string Driver::describe(Result result) const {
  return describeResult(run, result);
}

Error Driver::check(Result result, const Twine &call) const {
  if (result == cuda::Success)
    return Error::success();
  return fail(TCGEMM_DRIVER, call + ": " + describe(result));
}

Error DeviceContext::openCurrent() {
  if (Error error =
          driver.check(driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent"))
    return error;
  if (!context)
    return fail(TCGEMM_NO_DEVICE,
                "the calling thread has no current CUDA context");
  return driver.check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice");
}

Error DeviceContext::openPrimary(int ordinal) {
  if (cuda::Result result = driver.cuDeviceGet(&device, ordinal))
    return fail(TCGEMM_NO_DEVICE, "cuDeviceGet of " + Twine(ordinal) + ": " +
                                      driver.describe(result));
  if (Error error =
          driver.check(driver.cuDevicePrimaryCtxRetain(&context, device),
                       "cuDevicePrimaryCtxRetain"))
    return error;
  isRetained = true;
  return Error::success();
}

Error DeviceContext::readProperties() {
  int major = 0, minor = 0, count = 0;
  for (auto [value, attribute] :
       {std::pair(&major, cuda::ComputeCapabilityMajor),
        std::pair(&minor, cuda::ComputeCapabilityMinor),
        std::pair(&count, cuda::MultiprocessorCount)})
    if (Error error =
            driver.check(driver.cuDeviceGetAttribute(value, attribute, device),
                         "cuDeviceGetAttribute"))
      return error;
  smCount = count;
  Expected<const ChipInfo &> found =
      lookupChip(getNativeChip(int64_t(major) * 10 + minor));
  if (!found)
    return withStatus(TCGEMM_NOT_SUPPORTED, found.takeError());
  chip = &*found;
  return Error::success();
}

Expected<std::shared_ptr<DeviceContext>> DeviceContext::open(int ordinal) {
  if (ordinal < TCGEMM_CURRENT_CONTEXT)
    return fail(TCGEMM_INVALID_VALUE,
                "the device is " + Twine(ordinal) +
                    ", but it must be a number from 0 on or "
                    "TCGEMM_CURRENT_CONTEXT (-1)");
  Expected<const Driver &> driver = Driver::get();
  if (!driver)
    return driver.takeError();
  std::shared_ptr<DeviceContext> device(new DeviceContext(*driver));
  if (Error error = ordinal == TCGEMM_CURRENT_CONTEXT
                        ? device->openCurrent()
                        : device->openPrimary(ordinal))
    return std::move(error);
  if (Error error = device->readProperties())
    return std::move(error);
  return device;
}

DeviceContext::~DeviceContext() {
  // A failure to release cannot be handled.
  if (isRetained)
    driver.cuDevicePrimaryCtxRelease_v2(device);
}

CurrentContext::CurrentContext(const DeviceContext &device)
    : driver(device.getDriver()) {
  cuda::Context current = nullptr;
  result = driver.cuCtxGetCurrent(&current);
  if (result != cuda::Success || current == device.getContext())
    return;
  result = driver.cuCtxPushCurrent_v2(device.getContext());
  isPushed = result == cuda::Success;
}

CurrentContext::~CurrentContext() {
  cuda::Context popped = nullptr;
  if (isPushed)
    driver.cuCtxPopCurrent_v2(&popped);
}
