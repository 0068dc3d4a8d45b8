//===- EmulatedDriver.h - The CUDA driver on the emulator -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the driver API that programs of this project use, by the
// emulator of PTX: so they run, and every access of their kernels is checked,
// without a GPU. A program links it and gives its functions to the runtime
// library; tests load it as a library in place of libcuda.so.1.
//
// Modules are PTX. A call ends when its work has ended. What is captured into a
// graph is not run again, and nothing takes any time. Memory of the device is
// not the host's: the host cannot access it. An error leaves the driver usable;
// cuGetErrorString has its text, in the thread that it happened in.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H
#define TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H

#include "tcgemm/Runtime/EmulatorDevice.h"

namespace tcgemm {

/// A function of the driver by its name, as tcgemm_gpu_set_driver_functions
/// takes it; null if there is none.
void *findEmulatedDriverFunction(const char *name);

/// The device that cuInit opens. Without a call it is that of
/// TCGEMM_DRIVER_CHIP, else sm_90a. Must come before cuInit.
void setEmulatedDriverOptions(const EmulatorOptions &options);

/// How many launches have ended with findings since the last call.
uint64_t takeEmulatedDriverFindings();

} // namespace tcgemm

#endif // TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H
