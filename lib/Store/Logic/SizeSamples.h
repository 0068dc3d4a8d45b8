//===- SizeSamples.h - Sizes for a model to estimate ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_LOGIC_SIZESAMPLES_H
#define TCGEMM_LIB_STORE_LOGIC_SIZESAMPLES_H

#include "tcgemm/Store/Problems.h"

namespace tcgemm {

/// Two sequences that have no sizes in common by design.
enum class SampleUse {
  Learn,
  Judge, ///< Rules are measured with these.
};

/// Different sizes that the kernel can have: M from 1 to 16,384, N and K from
/// 64 to 32,768, evenly distributed by their logarithms (Halton's sequence,
/// Numerische Mathematik 2, 1960). One in eleven of a product without groups is
/// a batch of small matrices. Sizes are multiples of a power of two, up to 64,
/// that is at most a sixteenth of them.
std::vector<MatmulSizes> drawSizes(const KernelSpec &kernel, SampleUse use,
                                   unsigned count);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGIC_SIZESAMPLES_H
