//===- TimeBound.h - A time that a kernel does not fall below ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's time is at least
//
//   launch + max(first copy + max(products, copies, cache, memory), outside,
//     ring) + epilogue + further launches
//
// Parts that follow each other are added: no CTA multiplies before its first
// copy has arrived, and none stores before its last product. Of parts that may
// overlap completely, the longest counts. The ring's stages include their first
// copy, and rows outside an operand need no copy from memory. All rates are
// limits (tcgemm/Model/SpeedLimits.h). Times are those of the tuner: with cold
// caches, so that A and B are read from memory.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_TIMEBOUND_H
#define TCGEMM_MODEL_TIMEBOUND_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Model/SpeedLimits.h"
#include "tcgemm/Target/Chip.h"

namespace tcgemm {

/// Lower bounds in nanoseconds.
struct TimeBound {
  double launch = 0;    ///< Until the first CTAs run.
  double firstCopy = 0; ///< Until the first bytes are in shared memory.
  double products = 0;  ///< Of the multiprocessor with the most CTAs.
  double copies = 0;    ///< Its copies into shared memory.
  double outside = 0;   ///< Its copies' rows outside A and B.
  /// The stages of a CTA, each slot of the ring being copied to and multiplied
  /// from in turn.
  double ring = 0;
  double cache = 0;    ///< The L2 cache's bytes to all multiprocessors.
  double memory = 0;   ///< A and B from memory.
  double epilogue = 0; ///< After the last product.
  double others = 0;   ///< Launches that pack operands, and that sum slices.

  /// From the start of the first CTAs to the end of the last product.
  double getMain() const;
  double getTotal() const { return launch + getMain() + epilogue + others; }
};

/// The bound of a legal `config`; all sizes of `problem` are known. Products
/// whose work the model does not describe exactly (groups of rows,
/// convolutions, bands, two products, other algebras, coefficients, split
/// types) have the launch only.
TimeBound computeTimeBound(const SpeedLimits &limits,
                           const KernelConfig &config, const ChipInfo &chip,
                           const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_MODEL_TIMEBOUND_H
