//===- BulkReduce.h - Elements of bulk reductions ------------- -*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATOR_BULKREDUCE_H
#define TCGEMM_EMULATOR_BULKREDUCE_H

#include "BulkCopy.h"

namespace tcgemm::emu {

/// `bytes` of elements of `type` at `from` into those at `to`; atomically for
/// elements of 4 and 8 bytes only as far as other bulk reductions go.
void reduceBytes(BulkReduction reduction, ptx::Type type, uint8_t *to,
                 const uint8_t *from, uint32_t bytes);

} // namespace tcgemm::emu

#endif // TCGEMM_EMULATOR_BULKREDUCE_H
