//===- EngineDevice.h - The device of a search ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_ENGINEDEVICE_H
#define TCGEMM_LIB_TUNER_MEASURE_ENGINEDEVICE_H

#include "tcgemm/Runtime/Device.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// Opens `options.device`, the emulator as `options.chip`.
llvm::Expected<std::unique_ptr<Device>>
openEngineDevice(const EngineOptions &options);

/// The target chip, with the architecture-specific features.
std::string getDeviceChip(const DeviceProperties &properties);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_ENGINEDEVICE_H
