//===- Candidates.h - Configurations for a model to rank --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_CANDIDATES_H
#define TCGEMM_LIB_CONFIG_WGMMA_CANDIDATES_H

#include "Wgmma/Family.h"

namespace tcgemm {

/// See ScheduleFamily::listTiles. The chip and the problem have wgmma.
std::vector<KernelConfig> listWgmmaTiles(const WgmmaFamily &family,
                                         const ChipInfo &chip,
                                         const ProblemInfo &problem);
/// See ScheduleFamily::visitTile.
void visitWgmmaTile(const WgmmaFamily &family, const KernelConfig &tile,
                    const ChipInfo &chip, const ProblemInfo &problem,
                    CandidateVisitor visit);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_CANDIDATES_H
