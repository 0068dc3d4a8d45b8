//===- EmulatedDriver.h - The CUDA driver on the emulator -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the part of the driver API that programs of this project use on
// the PTX emulator. These programs then run without a GPU, and every access of
// their kernels is checked. A program links this library and passes its
// functions to the runtime library. Tests load it as a library instead of
// libcuda.so.1.
//
// Modules are PTX. A call returns when its work has ended. Launches that are
// captured into a graph are not executed again, and all measured times are
// zero. The host cannot access device memory. The driver remains usable after
// an error; cuGetErrorString returns the text in the thread of the error.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H
#define TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H

#include "tcgemm/Runtime/EmulatorDevice.h"

namespace tcgemm {

/// A function of the driver by its name, for tcgemm_gpu_set_driver_functions;
/// null if there is none.
void *findEmulatedDriverFunction(const char *name);

/// Sets the properties of the devices that cuInit opens; must be called before
/// cuInit. By default, the devices have the chips in TCGEMM_DRIVER_CHIP, a list
/// that is repeated, or else sm_90a. TCGEMM_DRIVER_DEVICES is their number.
/// TCGEMM_DRIVER_RACES=0 turns the search for races off, for programs whose
/// operands overlap.
void setEmulatedDriverOptions(const EmulatorOptions &options);

/// Returns the number of launches with findings since the last call.
uint64_t takeEmulatedDriverFindings();

} // namespace tcgemm

#endif // TCGEMM_EMULATEDDRIVER_EMULATEDDRIVER_H
