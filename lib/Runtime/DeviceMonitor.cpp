//===- DeviceMonitor.cpp - Clocks, power and limits of a GPU --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/DeviceMonitor.h"
#include "NvmlLibrary.h"

#include <array>
#include <dlfcn.h>

using namespace llvm;

namespace tcgemm {

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

Expected<nvml::Library> nvml::Library::load(StringRef path) {
  void *handle = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError(Twine("no NVML: ") + dlerror());
  nvml::Library library;
#define TCGEMM_LOAD(name, parameters)                                          \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));
  TCGEMM_NVML_FUNCTIONS(TCGEMM_LOAD)
  TCGEMM_NVML_OPTIONAL_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
  library.nvmlErrorString = reinterpret_cast<const char *(*)(Result)>(
      dlsym(handle, "nvmlErrorString"));
#define TCGEMM_NEED(name, parameters)                                          \
  if (!library.name)                                                           \
    return createStringError("NVML in '" + path + "' has no " #name);
  TCGEMM_NVML_FUNCTIONS(TCGEMM_NEED)
#undef TCGEMM_NEED
  if (Error error = library.check(library.nvmlInit_v2(), "nvmlInit"))
    return std::move(error);
  return library;
}

Error nvml::Library::check(Result result, StringRef call) const {
  if (result == Success)
    return Error::success();
  const char *text = nvmlErrorString ? nvmlErrorString(result) : nullptr;
  return createStringError(call + ": " + (text ? text : "error") + " (" +
                           Twine(result) + ")");
}

//===----------------------------------------------------------------------===//
// The monitor
//===----------------------------------------------------------------------===//

struct DeviceMonitor::Implementation {
  nvml::Library library;
  nvml::DeviceHandle device = nullptr;

  using Getter = nvml::Result (*)(nvml::DeviceHandle, unsigned *);
  using TypedGetter = nvml::Result (*)(nvml::DeviceHandle, int, unsigned *);

  std::optional<int64_t> get(TypedGetter getter, int type) const {
    unsigned value = 0;
    if (getter(device, type, &value) != nvml::Success)
      return std::nullopt;
    return value;
  }
  std::optional<double> getWatts(Getter getter) const {
    unsigned milliwatts = 0;
    if (getter(device, &milliwatts) != nvml::Success)
      return std::nullopt;
    return milliwatts / 1000.0;
  }
  std::optional<double> getPower() const;
};

std::optional<double> DeviceMonitor::Implementation::getPower() const {
  nvml::FieldValue field{};
  field.fieldId = nvml::PowerInstant;
  if (library.nvmlDeviceGetFieldValues &&
      library.nvmlDeviceGetFieldValues(device, 1, &field) == nvml::Success &&
      field.result == nvml::Success && field.valueType == nvml::UnsignedInt)
    return field.value.number / 1000.0;
  return getWatts(library.nvmlDeviceGetPowerUsage);
}

DeviceMonitor::DeviceMonitor(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

DeviceMonitor::~DeviceMonitor() { implementation->library.nvmlShutdown(); }

Expected<std::unique_ptr<DeviceMonitor>> DeviceMonitor::open(StringRef pciBusId,
                                                             StringRef path) {
  Expected<nvml::Library> library = nvml::Library::load(path);
  if (!library)
    return library.takeError();
  auto implementation = std::make_unique<Implementation>();
  implementation->library = *library;
  std::unique_ptr<DeviceMonitor> monitor(
      new DeviceMonitor(std::move(implementation)));
  if (Error error = library->check(
          library->nvmlDeviceGetHandleByPciBusId_v2(
              pciBusId.str().c_str(), &monitor->implementation->device),
          "nvmlDeviceGetHandleByPciBusId"))
    return std::move(error);
  return std::move(monitor);
}

DeviceState DeviceMonitor::sample() const {
  const nvml::Library &library = implementation->library;
  DeviceState state;
  state.smClock =
      implementation->get(library.nvmlDeviceGetClockInfo, nvml::SMClock);
  state.memoryClock =
      implementation->get(library.nvmlDeviceGetClockInfo, nvml::MemoryClock);
  state.temperature = implementation->get(library.nvmlDeviceGetTemperature,
                                          nvml::GPUTemperature);
  state.power = implementation->getPower();
  unsigned long long events = 0;
  auto *getEvents = library.nvmlDeviceGetCurrentClocksEventReasons
                        ? library.nvmlDeviceGetCurrentClocksEventReasons
                        : library.nvmlDeviceGetCurrentClocksThrottleReasons;
  if (getEvents && getEvents(implementation->device, &events) == nvml::Success)
    state.clockEvents = static_cast<int64_t>(events);
  return state;
}

DeviceLimits DeviceMonitor::getLimits() const {
  const nvml::Library &library = implementation->library;
  DeviceLimits limits;
  std::array<char, 96> version{};
  if (library.nvmlSystemGetDriverVersion(version.data(), version.size() - 1) ==
      nvml::Success)
    limits.driverVersion = version.data();
  limits.maxSMClock =
      implementation->get(library.nvmlDeviceGetMaxClockInfo, nvml::SMClock);
  limits.maxMemoryClock =
      implementation->get(library.nvmlDeviceGetMaxClockInfo, nvml::MemoryClock);
  limits.powerLimit =
      implementation->getWatts(library.nvmlDeviceGetEnforcedPowerLimit);
  limits.defaultPowerLimit = implementation->getWatts(
      library.nvmlDeviceGetPowerManagementDefaultLimit);
  int isPersistent = 0;
  if (library.nvmlDeviceGetPersistenceMode(implementation->device,
                                           &isPersistent) == nvml::Success)
    limits.isPersistent = isPersistent != 0;
  return limits;
}

std::optional<std::vector<GPUProcess>> DeviceMonitor::getProcesses() const {
  const nvml::Library &library = implementation->library;
  if (!library.nvmlDeviceGetComputeRunningProcesses_v3)
    return std::nullopt;
  // More processes may start meanwhile; the next call lists them.
  std::vector<nvml::ProcessInfo> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  nvml::Result result = library.nvmlDeviceGetComputeRunningProcesses_v3(
      implementation->device, &count, infos.data());
  if (result == nvml::InsufficientSize) {
    infos.resize(count + 64);
    count = static_cast<unsigned>(infos.size());
    result = library.nvmlDeviceGetComputeRunningProcesses_v3(
        implementation->device, &count, infos.data());
  }
  if (result != nvml::Success)
    return std::nullopt;
  infos.resize(count);
  std::vector<GPUProcess> processes;
  for (const nvml::ProcessInfo &info : infos) {
    GPUProcess &process = processes.emplace_back();
    process.id = info.process;
    if (info.memory != ~0ULL)
      process.bytes = static_cast<int64_t>(info.memory);
  }
  return processes;
}

} // namespace tcgemm
