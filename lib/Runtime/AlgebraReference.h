//===- AlgebraReference.h - Results of other algebras -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_ALGEBRAREFERENCE_H
#define TCGEMM_LIB_RUNTIME_ALGEBRAREFERENCE_H

#include "tcgemm/Runtime/Reference.h"

namespace tcgemm {

/// computeAccumulators for an algebra that does not multiply and add, and for
/// integers of 32 bits, whose products wrap around. Each operation is rounded
/// to the type of the elements. Reductions that round are in the order of k, as
/// in a kernel: the results are those of a kernel bit by bit. As sums of
/// integers are, they are marked as integers, and norms are 0.
void reduceInAlgebra(const OperandView &a, const OperandView &b, int64_t batch,
                     int64_t k, llvm::ArrayRef<int64_t> rows,
                     llvm::ArrayRef<int64_t> columns, AccumulatorBlock &block,
                     const Algebra &algebra);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_ALGEBRAREFERENCE_H
