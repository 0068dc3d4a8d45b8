//===- DevicePipeline.h - Whole modules on the device -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One of the two ways to embed tcgemm: all computations of a module run on the
// device. The other way compiles only the products and leaves the rest to the
// embedder.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_DEVICEPIPELINE_H
#define TCGEMM_PIPELINES_DEVICEPIPELINE_H

#include "tcgemm/Pipelines/CompileOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tcgemm {

struct DeviceOptions {
  /// Multiprocessors of the device; 0: the number of a typical board of the
  /// chip.
  int64_t smCount = 0;
};

/// Compiles functions on tensors to host code with launches of the GPU dialect.
///
/// Input: functions on tensors (linalg, tensor, arith, math, scf, func).
/// Output: functions on buffers in device memory. Tensor results become
/// trailing arguments in their order; scalar results are returned on the host.
/// The kernels are gpu.binary operations. An operation that cannot run on the
/// device is an error that names it.
void buildDevicePipeline(mlir::OpPassManager &manager,
                         const CompileOptions &options = {},
                         const DeviceOptions &device = {});

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_DEVICEPIPELINE_H
