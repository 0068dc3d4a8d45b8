//===- CalibrationRunner.h - Experiments on a device ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of experiments and runs them on a device, as the tuner
// runs candidates.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_CALIBRATIONRUNNER_H
#define TCGEMM_TUNER_CALIBRATIONRUNNER_H

#include "tcgemm/Tuner/Calibration.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

struct CalibrationDevice {
  std::unique_ptr<Device> device;
  std::string chip; ///< `sm_90a`.
};

/// Opens the device of `options`. An emulator has four multiprocessors and does
/// not report reads of memory that nothing was written to: kernels without
/// copies multiply what is there. Errors: there is no such device, or it has no
/// wgmma.
llvm::Expected<CalibrationDevice>
openCalibrationDevice(const EngineOptions &options);

/// Compiles and runs the experiments, with the compilers and the ptxas of
/// `options`. On an emulator, which has no clock, `prepare` executes each
/// experiment once, and its findings are errors.
std::unique_ptr<ExperimentRunner>
createDeviceRunner(CalibrationDevice &device, const EngineOptions &options,
                   CalibrationProgress progress);

} // namespace tcgemm

#endif // TCGEMM_TUNER_CALIBRATIONRUNNER_H
