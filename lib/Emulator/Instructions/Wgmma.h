//===- Wgmma.h - Computation of wgmma ---------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WGMMA_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WGMMA_H

#include "Machine/WarpGroup.h"

namespace tcgemm::emu {

/// Both operands as floats (or integers and bytes of bits, which floats of this
/// size hold): A by m and k, B by blocks of 8 n, then by k and n.
struct WgmmaOperands {
  alignas(64) float a[64][32];
  alignas(64) float b[32][32][8];
};
/// Reads them from shared memory and A's registers. Reports bytes that cannot
/// be read.
void readOperands(WgmmaOp &op, WgmmaOperands &operands);
/// The places of the operands' 16-byte chunks in shared memory: those of A, if
/// it has a descriptor, and then those of B.
void getChunks(const WgmmaOp &op, const WgmmaOp::Part &part,
               llvm::SmallVectorImpl<uint32_t> &chunks);
/// Computes it for all warps.
void multiply(WgmmaOp &op);

Outcome issueWgmma(Warp &warp, const Instruction &inst);
/// imm: the number of the latest groups that may be pending.
Outcome waitWgmma(Warp &warp, const Instruction &inst);
Outcome commitWgmma(Warp &warp, const Instruction &inst);
Outcome fenceWgmma(Warp &warp, const Instruction &inst);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WGMMA_H
