//===- Structure.h - The work that bands and symmetry leave -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_STRUCTURE_H
#define TCGEMM_LIB_CONFIG_WGMMA_STRUCTURE_H

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Instructions.h"

namespace tcgemm {

/// Sets the order of tiles that keeps those with equal parts of K together, if
/// the problem has bands.
void orderTiles(KernelConfig &config, const ProblemInfo &problem);

/// The columns of an instruction are a multiple of this. `instruction` is that
/// of the problem's elements.
int64_t getColumnStep(const MatrixInstruction &instruction,
                      const ProblemInfo &problem, bool swapAB, int64_t columns);

/// The parts of K for which tiles are computed.
struct KeptDepth {
  double mean = 1, most = 1;
};
/// The part of K that the bands of A and B leave. All sizes are known.
KeptDepth getKeptDepth(const KernelConfig &config, const ProblemInfo &problem);

/// The part of the tiles that is computed: about half of a symmetric result.
double getKeptTiles(const KernelConfig &config, const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_STRUCTURE_H
