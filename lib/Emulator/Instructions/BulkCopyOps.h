//===- BulkCopyOps.h - Helpers of the bulk-copy families --------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKCOPYOPS_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKCOPYOPS_H

#include "Machine/BulkCopy.h"
#include "Machine/Decoder.h"

namespace tcgemm::emu {

/// Decodes cp.async.bulk and cp.reduce.async.bulk.
void decodeBulk(Decoder &d, Modifiers &mods);
void decodeBulkTensor(Decoder &d, Modifiers &mods);
/// st.async and red.async
void decodeStoreAsync(Decoder &d, Modifiers &mods);
/// cp.async.mbarrier.arrive
void decodeCopyArrival(Decoder &d, Modifiers &mods);

/// The lane's mbarrier. Block is null if there is none, which fails the launch.
MBarrierRef findMBarrier(Warp &warp, const Instruction &inst,
                         const AddressOperand &operand, ptx::Space space,
                         unsigned lane);
/// One piece of `bytes` at the lane's address. Region is null if the access is
/// reported as bad.
BulkPiece findPiece(Warp &warp, const Instruction &inst,
                    const AddressOperand &operand, ptx::Space space,
                    unsigned lane, uint32_t bytes, bool isTarget,
                    uint32_t alignment = 16);
/// Sets the reduction of a copy.
void setReduction(BulkCopy &copy, BulkReduction op, ptx::Type type);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_BULKCOPYOPS_H
