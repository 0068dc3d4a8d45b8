//===- SimulatedDevice.h - Simulated candidates -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the child processes that depend on the device `simulated`.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_SIMULATEDDEVICE_H
#define TCGEMM_LIB_TUNER_MEASURE_SIMULATEDDEVICE_H

#include "Measure/Workers.h"

namespace tcgemm {

/// A pack without kernels, whose code is the text of the configuration. Errors:
/// the compilation is refused. It may not return, as a compiler that hangs.
llvm::Expected<KernelPack> compileSimulated(const CompileJob &job,
                                            llvm::StringRef chip,
                                            const SimulationOptions &options);

/// Draws outcomes instead of measuring. It reads the configurations from packs
/// of `compileSimulated`. `numBefore`: the device's processes before this one.
std::unique_ptr<DeviceRunner>
createSimulatedRunner(const SimulationOptions &options, unsigned numBefore);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_SIMULATEDDEVICE_H
