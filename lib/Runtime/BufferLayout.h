//===- BufferLayout.h - Rules for the layout of buffers ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_BUFFERLAYOUT_H
#define TCGEMM_LIB_RUNTIME_BUFFERLAYOUT_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// Checks a buffer of these sizes, with `padding` elements after each row and
/// its own offset. Errors: its image exceeds the address space; a row of
/// elements that share bytes is not whole bytes.
llvm::Error checkLayout(const ProblemBuffer &buffer,
                        llvm::ArrayRef<int64_t> sizes, int64_t padding);

/// Checks the strides of a buffer, which the user has given. Errors: their
/// number is not that of the dimensions; the innermost one is not 1; a row of
/// elements that share bytes is not whole bytes; two elements have the same
/// address, or that cannot be excluded; the image exceeds the address space.
llvm::Error checkStrides(const ProblemBuffer &buffer);

/// Returns true if no two elements of the shape have the same address. Shapes
/// with interleaved dimensions are not recognized.
bool hasDistinctElements(const StridedShape &shape);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_BUFFERLAYOUT_H
