//===- DeviceMemory.h - Buffers of the host and the device ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convention of modules that run on the device: every buffer is in device
// memory, except those that the host's bookkeeping allocates.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONVERSION_DEVICEMEMORY_H
#define TCGEMM_CONVERSION_DEVICEMEMORY_H

namespace mlir {
class Operation;
class Value;
} // namespace mlir

namespace tcgemm {

/// Returns whether the buffer, or the source of the view, is an allocation of
/// the host: memref.alloc, memref.alloca, or a global array that has not become
/// a constant of the device.
bool isHostMemory(mlir::Value buffer);

/// Returns whether the function uses host buffers only and is not converted: it
/// has the attribute `tcgemm.host`.
bool isHostFunction(mlir::Operation *function);

} // namespace tcgemm

#endif // TCGEMM_CONVERSION_DEVICEMEMORY_H
