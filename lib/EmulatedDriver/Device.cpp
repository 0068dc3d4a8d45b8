//===- Device.cpp - The device and its contexts ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "EntryPoints.h"

#include <cstdio>

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;
using llvm::Expected;

namespace {

/// The one context. Only its address is used.
Context getContext() {
  static char context;
  return reinterpret_cast<Context>(&context);
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

} // namespace

Result cuInit(unsigned) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return finish(state.open());
}

Result cuDriverGetVersion(int *version) {
  *version = 12020;
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
