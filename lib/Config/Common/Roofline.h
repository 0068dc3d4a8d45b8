//===- Roofline.h - The arithmetic of the default estimates -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate is the longest of a few bounds: computation, memory, L2. Times
// are in nanoseconds, rates in bytes a nanosecond.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_ROOFLINE_H
#define TCGEMM_LIB_CONFIG_COMMON_ROOFLINE_H

#include "tcgemm/Config/KernelWork.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace tcgemm {

/// The longest of `bounds`, plus a part of the others, which disturb it.
double combineBounds(llvm::ArrayRef<double> bounds, double disturbance = 0.1);

/// The time of a stage of CTAs that share a multiprocessor.
struct StageTime {
  double busy;  ///< The time for which one CTA occupies the units.
  double alone; ///< The least time, however few CTAs there are.

  double get(double count) const { return std::max(count * busy, alone); }
};

/// The time of copying A, B and what the epilogue moves once.
double getMemoryTime(const KernelWork &work, double rate);

/// The time of the kernel that adds up split K's partial sums: its launch and
/// its bytes. It is 0 without slices.
double getReductionTime(const KernelWork &work, double rate);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_ROOFLINE_H
