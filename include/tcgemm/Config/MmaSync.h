//===- MmaSync.h - The instruction of schedule mma_sync ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_MMASYNC_H
#define TCGEMM_CONFIG_MMASYNC_H

#include "tcgemm/Config/Sizes.h"

namespace tcgemm {

/// The instruction of `config`: that of the parameter `instruction`, or the
/// widest of `chip` where the parameter has its default value. Null if the
/// types or the chip have none.
const MatrixInstruction *findMmaSync(const KernelConfig &config,
                                     const ChipInfo &chip,
                                     const ProblemInfo &problem);

/// Returns whether K has whole groups of scales only, as far as it is known.
/// The schedule does not multiply others.
bool hasWholeGroups(const ProblemInfo &problem);

/// Returns whether kernels of the schedule read numbers with components of this
/// type, and make the blocks of their representation in registers. Lanes load
/// single elements of 64 bits; those of smaller ones come in pairs.
bool readsNumbers(ScalarType type);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_MMASYNC_H
