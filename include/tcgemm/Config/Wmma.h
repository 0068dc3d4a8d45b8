//===- Wmma.h - Sizes of schedule wmma --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_WMMA_H
#define TCGEMM_CONFIG_WMMA_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// Bytes that the epilogue stages, as sums of the instructions' type: the CTA's
/// tile, or one fragment of each warp.
int64_t getWmmaStagingBytes(const KernelConfig &config,
                            const ProblemInfo &problem);
/// Elements from one row of the staged tile or fragment to the next.
int64_t getWmmaStagingPitch(const KernelConfig &config);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_WMMA_H
