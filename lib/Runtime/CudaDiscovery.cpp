//===- CudaDiscovery.cpp - The devices of the CUDA driver -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of devices and their properties.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <array>

using namespace tcgemm;
using namespace tcgemm::cuda;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

Expected<DeviceProperties> cuda::getProperties(const Driver &driver,
                                               DeviceHandle device) {
  DeviceProperties properties;
  std::array<char, 256> name{};
  if (Error error = driver.check(
          driver.cuDeviceGetName(name.data(), name.size() - 1, device),
          "cuDeviceGetName"))
    return std::move(error);
  properties.name = name.data();
  properties.isEmulated = driver.isEmulated;
  std::array<char, 32> address{};
  if (Error error = driver.check(
          driver.cuDeviceGetPCIBusId(address.data(), address.size(), device),
          "cuDeviceGetPCIBusId"))
    return std::move(error);
  properties.pciBusId = address.data();
  size_t memory = 0;
  if (Error error = driver.check(driver.cuDeviceTotalMem_v2(&memory, device),
                                 "cuDeviceTotalMem"))
    return std::move(error);
  properties.globalMemory = static_cast<int64_t>(memory);
  int version = 0;
  if (Error error = driver.check(driver.cuDriverGetVersion(&version),
                                 "cuDriverGetVersion"))
    return std::move(error);
  properties.driver = ("CUDA driver " + Twine(version / 1000) + "." +
                       Twine(version % 1000 / 10))
                          .str();
  int values[5] = {};
  const DeviceAttribute attributes[] = {
      ComputeCapabilityMajor, ComputeCapabilityMinor, MultiprocessorCount,
      L2CacheSize, MaxSharedMemoryPerBlockOptin};
  for (unsigned i = 0; i != 5; ++i)
    if (Error error = driver.check(
            driver.cuDeviceGetAttribute(&values[i], attributes[i], device),
            "cuDeviceGetAttribute"))
      return std::move(error);
  properties.major = values[0];
  properties.minor = values[1];
  properties.smCount = values[2];
  properties.l2Bytes = values[3];
  properties.sharedMemoryPerBlock = values[4];
  return properties;
}

Expected<int> cuda::countDevices(const Driver &driver) {
  int count = 0;
  if (Error error =
          driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return std::move(error);
  if (count == 0)
    return llvm::createStringError("the CUDA driver finds no device");
  return count;
}

Expected<unsigned> tcgemm::countDevices() {
  Expected<Driver> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  Expected<int> count = cuda::countDevices(*driver);
  if (!count)
    return count.takeError();
  return static_cast<unsigned>(*count);
}

Expected<std::vector<DeviceProperties>> tcgemm::listDevices() {
  Expected<Driver> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  Expected<int> count = cuda::countDevices(*driver);
  if (!count)
    return count.takeError();
  std::vector<DeviceProperties> devices;
  for (int i = 0; i != *count; ++i) {
    DeviceHandle handle = 0;
    if (Error error =
            driver->check(driver->cuDeviceGet(&handle, i), "cuDeviceGet"))
      return std::move(error);
    Expected<DeviceProperties> properties = getProperties(*driver, handle);
    if (!properties)
      return properties.takeError();
    devices.push_back(std::move(*properties));
  }
  return devices;
}
