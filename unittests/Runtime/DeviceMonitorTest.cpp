//===- DeviceMonitorTest.cpp - Clocks, power and limits of a GPU ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests set the answers of the fake NVML of unittests/Drivers.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/DeviceMonitor.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tcgemm;

namespace {

const char *const kAddress = "0000:3B:00.0";
const char *const kLibrary =
    TCGEMM_BINARY_DIR "/unittests/fake-driver/libnvidia-ml.so.1";

class DeviceMonitorTest : public testing::Test {
protected:
  ~DeviceMonitorTest() override {
    for (const char *name :
         {"FAKE_NVML_EVENTS", "FAKE_NVML_INSTANT", "FAKE_NVML_LIMIT",
          "FAKE_NVML_PERSISTENCE", "FAKE_NVML_PROCESS"})
      ::unsetenv(name);
  }
  static void set(const char *name, const char *value) {
    ::setenv(name, value, 1);
  }
  static std::unique_ptr<DeviceMonitor> open() {
    auto monitor = DeviceMonitor::open(kAddress, kLibrary);
    if (monitor)
      return std::move(*monitor);
    ADD_FAILURE() << llvm::toString(monitor.takeError());
    abort();
  }
  static std::string getOpenError(llvm::StringRef address,
                                  llvm::StringRef library) {
    auto monitor = DeviceMonitor::open(address, library);
    return monitor ? "no error" : llvm::toString(monitor.takeError());
  }
};

TEST_F(DeviceMonitorTest, SamplesAreInTheirUnits) {
  set("FAKE_NVML_EVENTS", "4");
  DeviceState state = open()->sample();
  EXPECT_EQ(state.smClock, 1755);
  EXPECT_EQ(state.memoryClock, 2619);
  EXPECT_EQ(state.power, 612.5);
  EXPECT_EQ(state.temperature, 61);
  EXPECT_EQ(state.clockEvents, kClockPowerCap);
  EXPECT_EQ(state.getThrottling(), "power cap");
}

TEST_F(DeviceMonitorTest, ThePowersMeanDoesWhereThereIsNoPowerNow) {
  set("FAKE_NVML_INSTANT", "0");
  EXPECT_EQ(open()->sample().power, 500.0);
}

TEST_F(DeviceMonitorTest, NotEveryEventIsThrottling) {
  set("FAKE_NVML_EVENTS", "3");
  DeviceState state = open()->sample();
  EXPECT_EQ(state.getThrottling(), "");
  EXPECT_EQ(getClockEventNames(state.clockEvents.value_or(0)),
            "idle, application clocks");
  set("FAKE_NVML_EVENTS", "232"); // 0xe8
  EXPECT_EQ(open()->sample().getThrottling(),
            "hardware slowdown, software thermal slowdown, hardware thermal "
            "slowdown, power brake");
}

TEST_F(DeviceMonitorTest, LimitsAndProcesses) {
  set("FAKE_NVML_LIMIT", "500");
  set("FAKE_NVML_PERSISTENCE", "0");
  auto monitor = open();
  DeviceLimits limits = monitor->getLimits();
  EXPECT_EQ(limits.driverVersion, "535.99");
  EXPECT_EQ(limits.maxSMClock, 1980);
  EXPECT_EQ(limits.maxMemoryClock, 2619);
  EXPECT_EQ(limits.powerLimit, 500.0);
  EXPECT_EQ(limits.defaultPowerLimit, 700.0);
  EXPECT_EQ(limits.isPersistent, false);
  std::vector<GPUProcess> unknown(7);
  EXPECT_TRUE(monitor->getProcesses().value_or(unknown).empty());
  set("FAKE_NVML_PROCESS", "77");
  auto processes = monitor->getProcesses().value_or(unknown);
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].id, 77);
  EXPECT_EQ(processes[0].bytes, 512 << 20);
}

TEST_F(DeviceMonitorTest, WithoutTheLibraryOrTheDevice) {
  EXPECT_EQ(getOpenError(kAddress, "/no/such/library.so").substr(0, 9),
            "no NVML: ");
  EXPECT_EQ(getOpenError("0000:00:00.0", kLibrary),
            "nvmlDeviceGetHandleByPciBusId: Not Found (6)");
  // A library that is another.
  EXPECT_NE(getOpenError(kAddress, TCGEMM_BINARY_DIR
                         "/unittests/fake-driver/libcuda.so.1")
                .find("has no nvmlInit_v2"),
            std::string::npos);
}

TEST(DeviceState, WhatIsNotKnownIsNotWritten) {
  llvm::json::Object object;
  addJSON(object, DeviceState());
  EXPECT_TRUE(object.empty());
  DeviceState state;
  state.smClock = 1500;
  state.power = 0.5;
  state.clockEvents = 0;
  addJSON(object, state);
  EXPECT_EQ(object.size(), 4u); // With `throttled`.
  auto back = deviceStateFromJSON(object);
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->smClock, 1500);
  EXPECT_EQ(back->power, 0.5);
  EXPECT_EQ(back->clockEvents, 0);
  EXPECT_FALSE(back->memoryClock);
  EXPECT_FALSE(back->temperature);
  object["power_w"] = "much";
  EXPECT_EQ(llvm::toString(deviceStateFromJSON(object).takeError()),
            "record: 'power_w' is not a number");
}

} // namespace
