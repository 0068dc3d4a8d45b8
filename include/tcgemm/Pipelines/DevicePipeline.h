//===- DevicePipeline.h - Whole modules on the device -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One of the two ways to embed tcgemm: everything that a module computes runs
// on the device. The other one, kernels only, leaves to the embedder what is
// not a product.
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
  /// Multiprocessors of the device; 0: those of the chip's usual model.
  int64_t smCount = 0;
};

/// From functions on tensors to host code with launches of the GPU dialect.
///
/// Before: functions on tensors (linalg, tensor, arith, math, scf, func).
/// After: functions on buffers in device memory. Results that are tensors are
/// trailing arguments, in their order; scalar results are returned on the host.
/// The kernels are gpu.binary operations. What cannot run on the device is an
/// error that names the operation.
void buildDevicePipeline(mlir::OpPassManager &manager,
                         const CompileOptions &options = {},
                         const DeviceOptions &device = {});

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_DEVICEPIPELINE_H
