//===- BulkReduce.h - Reductions of bulk copies -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKREDUCE_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKREDUCE_H

#include "Machine/BulkCopy.h"

namespace tcgemm::emu {

/// Returns whether the reduction exists for the type.
bool canReduce(BulkReduction op, ptx::Type type);
/// `bytes` of elements of `type` at `from` into those at `to`, in `region`,
/// each of them atomically.
void reduceBytes(BulkReduction op, ptx::Type type, const Region &region,
                 uint8_t *to, const uint8_t *from, uint32_t bytes);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKREDUCE_H
