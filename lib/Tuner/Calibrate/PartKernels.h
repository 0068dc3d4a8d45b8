//===- PartKernels.h - Kernels of experiments, compiled ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_CALIBRATE_PARTKERNELS_H
#define TCGEMM_LIB_TUNER_CALIBRATE_PARTKERNELS_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/KernelPack.h"
#include "tcgemm/Tuner/CalibrationRunner.h"

namespace tcgemm {

struct PartOptions {
  std::string chip;
  std::string ptxasPath; ///< As in CompileOptions.
  bool isPTX = false;    ///< No cubin.
};

/// The product that all kernels compute, or would without their missing parts.
KernelSpec getCalibratedProduct();

/// Compiles a kernel for any sizes. Errors: those
/// of the compiler, with the kernel's configuration.
llvm::Expected<KernelPack> compileParts(const CalibrationKernel &kernel,
                                        const PartOptions &options);

/// The kernel that reads both clocks.
inline constexpr llvm::StringLiteral kClockKernel = "tcgemm_clocks";

/// Compiles it. Its arguments are the address of three 64-bit results, the
/// nanoseconds to wait, and the most steps of its loops. The results are the
/// clocks and the nanoseconds from one step of the nanosecond clock to another,
/// and the smallest step between them.
llvm::Expected<ModuleImage> compileClockKernel(const PartOptions &options);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_CALIBRATE_PARTKERNELS_H
