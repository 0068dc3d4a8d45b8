//===- RaiseConvolution.h - Convolutions as products ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISECONVOLUTION_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISECONVOLUTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tcgemm::raise {

struct Group;

/// Returns whether the operation slides a filter over images.
bool isConvolution(mlir::linalg::LinalgOp op);

/// Replaces a convolution on tensors by a product of what its filter sees, and
/// a tensor.pad before it by the convolution's padding. A filter of one element
/// sees the images as they are. Images with the channels outside of the pixels
/// are transposed if `transposes` allows it. Returns the reason if the
/// convolution cannot be replaced, and nothing otherwise.
std::string expandConvolution(mlir::linalg::LinalgOp op, bool transposes);

/// Returns why a kernel cannot take what windows see as the group's A; empty if
/// it can, or the group has no windows.
std::string checkWindows(const Group &group);

/// Replaces each tcgemm.im2col of the function that no kernel takes by
/// operations of linalg and tensor.
void expandWindows(mlir::func::FuncOp function);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISECONVOLUTION_H
