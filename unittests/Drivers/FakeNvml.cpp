//===- FakeNvml.cpp - NVML with answers set by tests ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One GPU, at 0000:3B:00.0.
//
//   FAKE_NVML_EVENTS       the clocks event reasons, as a number (0)
//   FAKE_NVML_INSTANT      0: there is no field of the power now (1)
//   FAKE_NVML_LIMIT        the power limit in W; usually it is 700 (700)
//   FAKE_NVML_PERSISTENCE  the persistence mode (1)
//   FAKE_NVML_PROCESS      a process that computes on the GPU; 0: none (0)
//
//===----------------------------------------------------------------------===//

#include "NvmlLibrary.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace tcgemm::nvml;

static constexpr Result kNotSupported = 3, kNotFound = 6;

static int getSetting(const char *name, int usual) {
  const char *text = std::getenv(name);
  return text ? static_cast<int>(std::strtol(text, nullptr, 0)) : usual;
}

static char handle;

static Result give(unsigned *target, unsigned value) {
  *target = value;
  return Success;
}

extern "C" {

const char *nvmlErrorString(Result result) {
  return result == kNotFound ? "Not Found" : "Not Supported";
}
Result nvmlInit_v2() { return Success; }
Result nvmlShutdown() { return Success; }
Result nvmlSystemGetDriverVersion(char *text, unsigned size) {
  std::snprintf(text, size, "535.99");
  return Success;
}
Result nvmlDeviceGetHandleByPciBusId_v2(const char *address,
                                        DeviceHandle *device) {
  *device = reinterpret_cast<DeviceHandle>(&handle);
  return std::strcmp(address, "0000:3B:00.0") == 0 ? Success : kNotFound;
}
Result nvmlDeviceGetClockInfo(DeviceHandle, int type, unsigned *clock) {
  return give(clock, type == SMClock ? 1755 : 2619);
}
Result nvmlDeviceGetMaxClockInfo(DeviceHandle, int type, unsigned *clock) {
  return give(clock, type == SMClock ? 1980 : 2619);
}
Result nvmlDeviceGetPowerUsage(DeviceHandle, unsigned *power) {
  return give(power, 500000);
}
Result nvmlDeviceGetFieldValues(DeviceHandle, int count, FieldValue *values) {
  bool hasInstant = getSetting("FAKE_NVML_INSTANT", 1) != 0;
  for (int i = 0; i != count; ++i) {
    bool isKnown = values[i].fieldId == PowerInstant && hasInstant;
    values[i].result = isKnown ? int(Success) : kNotSupported;
    values[i].valueType = UnsignedInt;
    values[i].value.number = 612500;
  }
  return Success;
}
Result nvmlDeviceGetEnforcedPowerLimit(DeviceHandle, unsigned *power) {
  return give(power, 1000 * getSetting("FAKE_NVML_LIMIT", 700));
}
Result nvmlDeviceGetPowerManagementDefaultLimit(DeviceHandle, unsigned *power) {
  return give(power, 700000);
}
Result nvmlDeviceGetTemperature(DeviceHandle, int, unsigned *temperature) {
  return give(temperature, 61);
}
Result nvmlDeviceGetCurrentClocksEventReasons(DeviceHandle,
                                              unsigned long long *events) {
  *events = getSetting("FAKE_NVML_EVENTS", 0);
  return Success;
}
Result nvmlDeviceGetCurrentClocksThrottleReasons(DeviceHandle device,
                                                 unsigned long long *events) {
  return nvmlDeviceGetCurrentClocksEventReasons(device, events);
}
Result nvmlDeviceGetPersistenceMode(DeviceHandle, int *mode) {
  *mode = getSetting("FAKE_NVML_PERSISTENCE", 1);
  return Success;
}
Result nvmlDeviceGetComputeRunningProcesses_v3(DeviceHandle, unsigned *count,
                                               ProcessInfo *infos) {
  auto process = static_cast<unsigned>(getSetting("FAKE_NVML_PROCESS", 0));
  *count = process ? 1 : 0;
  if (process)
    infos[0] = {process, 512ULL << 20, 0, 0};
  return Success;
}

} // extern "C"

// Checks that all functions that tcgemm loads exist, with its parameters.
#define CHECK(name, parameters)                                                \
  static_assert(std::is_same_v<decltype(&(name)), decltype(Library::name)>);
TCGEMM_NVML_FUNCTIONS(CHECK)
TCGEMM_NVML_OPTIONAL_FUNCTIONS(CHECK)
