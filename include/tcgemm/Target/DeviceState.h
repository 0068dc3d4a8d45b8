//===- DeviceState.h - A GPU's clocks and power at a moment -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the device during a measurement. A value that the device cannot
// report is absent; zero never means unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_DEVICESTATE_H
#define TCGEMM_TARGET_DEVICESTATE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

/// Reasons for the current clocks: NVML's clocks event reasons.
enum ClockEvent : int64_t {
  kClockIdle = 0x1,
  kClockApplications = 0x2, ///< The application clocks were set.
  kClockPowerCap = 0x4,
  kClockHardwareSlowdown = 0x8,
  kClockSyncBoost = 0x10,
  kClockSoftwareThermal = 0x20,
  kClockHardwareThermal = 0x40,
  kClockPowerBrake = 0x80,
  kClockDisplay = 0x100,
};

struct DeviceState {
  std::optional<int64_t> smClock, memoryClock; ///< MHz.
  std::optional<double> power;                 ///< W.
  std::optional<int64_t> temperature;          ///< Degrees Celsius.
  std::optional<int64_t> clockEvents;          ///< Bits of ClockEvent.

  bool isKnown() const {
    return smClock || memoryClock || power || temperature || clockEvents;
  }
  /// The reasons of power or heat that reduce the clocks: `power cap`, or
  /// several reasons separated by commas; empty if there is none or they are
  /// unknown.
  std::string getThrottling() const;
};

/// The names of ClockEvent's bits, separated by commas: `idle, power cap`.
std::string getClockEventNames(int64_t events);

/// Adds a member for each known value: `sm_clock_mhz`, `memory_clock_mhz`,
/// `power_w`, `temperature_c`, `clock_events`, and the text `throttled`.
void addJSON(llvm::json::Object &object, const DeviceState &state);
/// Reads the members of addJSON. Errors: a member is not a number.
llvm::Expected<DeviceState>
deviceStateFromJSON(const llvm::json::Object &object);

} // namespace tcgemm

#endif // TCGEMM_TARGET_DEVICESTATE_H
