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

/// Calls `body` with the properties of a device.
template <typename Body> Result describe(DeviceHandle handle, Body &&body) {
  return runOpen([&](State &state) -> Error {
    Expected<Gpu *> gpu = state.findGpu(handle);
    if (!gpu)
      return gpu.takeError();
    return body((*gpu)->device->getProperties());
  });
}

/// An attribute that all chips have in common.
struct ConstantAttribute {
  int attribute;
  int64_t value;
};
constexpr int64_t kMaxThreads = 1024;
constexpr ConstantAttribute kConstantAttributes[] = {
    {MaxThreadsPerBlock, kMaxThreads},
    {MaxBlockDimX, kMaxThreads},
    {MaxBlockDimY, kMaxThreads},
    {MaxBlockDimZ, 64},
    {MaxGridDimX, INT32_MAX},
    {MaxGridDimY, UINT16_MAX},
    {MaxGridDimZ, UINT16_MAX},
    {MaxSharedMemoryPerBlock, kMaxPlainSharedMemory},
    {WarpSize, 32},
    {MaxRegistersPerBlock, 65536},
    {UnifiedAddressing, 1},
    {MemoryPoolsSupported, 1},
};

Expected<int64_t> getAttribute(const DeviceProperties &device, int attribute) {
  for (const ConstantAttribute &constant : kConstantAttributes)
    if (constant.attribute == attribute)
      return constant.value;
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
  return runOpen([&](State &state) {
    *count = static_cast<int>(state.gpus.size());
    return Error::success();
  });
}

Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  return describe(ordinal, [&](const DeviceProperties &) {
    *device = ordinal;
    return Error::success();
  });
}

Result cuDeviceGetName(char *name, int length, DeviceHandle device) {
  return describe(device, [&](const DeviceProperties &properties) {
    std::snprintf(name, size_t(length), "%s", properties.name.c_str());
    return Error::success();
  });
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle device) {
  return describe(device, [&](const DeviceProperties &properties) {
    *bytes = size_t(properties.globalMemory);
    return Error::success();
  });
}

Result cuDeviceComputeCapability(int *major, int *minor, DeviceHandle device) {
  return describe(device, [&](const DeviceProperties &properties) {
    *major = properties.major;
    *minor = properties.minor;
    return Error::success();
  });
}

Result cuDeviceGetPCIBusId(char *name, int length, DeviceHandle device) {
  return describe(device, [&](const DeviceProperties &) {
    std::snprintf(name, size_t(length), "0000:%02X:00.0", unsigned(device));
    return Error::success();
  });
}

Result tcgemm_emulated_driver() { return Success; }

Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle device) {
  return describe(device, [&](const DeviceProperties &properties) -> Error {
    Expected<int64_t> found = getAttribute(properties, attribute);
    if (!found)
      return found.takeError();
    *value = static_cast<int>(*found);
    return Error::success();
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  return runOpen([&](State &state) -> Error {
    Expected<Gpu *> gpu = state.findGpu(device);
    if (!gpu)
      return gpu.takeError();
    *context = reinterpret_cast<Context>(*gpu);
    return Error::success();
  });
}

Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return Success; }

Result cuCtxSetCurrent(Context context) {
  std::vector<Context> &contexts = getThread().contexts;
  if (contexts.empty())
    contexts.push_back(context);
  contexts.back() = context;
  return Success;
}

Result cuCtxGetCurrent(Context *context) {
  const std::vector<Context> &contexts = getThread().contexts;
  *context = contexts.empty() ? nullptr : contexts.back();
  return Success;
}

Result cuCtxGetDevice(DeviceHandle *device) {
  return run([&](State &state) {
    *device = state.current->ordinal;
    return Error::success();
  });
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

/// Each device has one context, which is the primary one.
Result cuCtxCreate_v2(Context *context, unsigned, DeviceHandle device) {
  Result result = cuDevicePrimaryCtxRetain(context, device);
  return result == Success ? cuCtxPushCurrent_v2(*context) : result;
}

Result cuCtxDestroy_v2(Context context) {
  Result result = runOpen([&](State &state) -> Error {
    Expected<Gpu *> gpu = state.findGpu(context);
    if (!gpu)
      return gpu.takeError();
    (*gpu)->assertion.clear();
    return Error::success();
  });
  std::vector<Context> &contexts = getThread().contexts;
  if (result == Success && !contexts.empty() && contexts.back() == context)
    contexts.pop_back();
  return result;
}

Result cuCtxSynchronize() {
  return run([](const State &state) { return state.checkAssertion(); });
}
