//===- SharedBanks.h - Bank conflicts of shared memory ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes. A wavefront moves at most one word of
// each, so an access takes the greatest number of different words that it wants
// of one bank. Accesses of 8 bytes a lane are done by halves of the warp and
// those of 16 by quarters, one after another; ldmatrix and stmatrix so as well,
// a quarter having a matrix' rows.
//
// Two halves (or the two quarters of a half) of a load become one if every lane
// has the address of its neighbour: the lane whose number differs in bit 0, or
// for all lanes in bit 1. Stores are never joined. Atomics are done one after
// another even on the same word: each lane's counts. A compare-and-swap takes
// two wavefronts for each.
//
// A cp.async through L1 reads its data out of the L1, which lies in the same
// banks, and writes it into shared memory. L1 looks lines up four at a time,
// one of each set; what one look-up finds is moved group by group as above. The
// lanes of a group are parted into passes that read no bank twice - even the
// same word is read for each lane anew - and the writes of each pass into those
// that write no bank twice. Lanes that have nothing to read write zeros apart
// from the others.
//
// What bypasses L1 (.cg) is written as it comes from L2, by no wavefront that
// is counted; only its zeros are.
//
// What ncu shows as wavefronts is this count, and as bank conflicts what it
// exceeds the count without conflicts by: one for each group, or for each group
// of each look-up.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_PROFILE_SHAREDBANKS_H
#define TCGEMM_LIB_EMULATOR_PROFILE_SHAREDBANKS_H

#include <cstdint>

namespace tcgemm::emu {

enum class BankAccess : uint8_t { Load, Store, Matrix, Atomic, CompareSwap };

struct BankCount {
  uint32_t wavefronts = 0;
  uint32_t ideal = 0; ///< Had no two words been in one bank.
};

/// Of an access of `bytes` (1 to 32, a power of two) by each of `lanes`, whose
/// addresses are multiples of `bytes`.
BankCount countBanks(BankAccess kind, uint32_t bytes, uint32_t lanes,
                     const uint64_t *addresses);

/// Of zeros that a cp.async writes, `bytes` by each of `lanes`.
BankCount countZeroBanks(uint32_t bytes, uint32_t lanes,
                         const uint64_t *targets);

/// Of a cp.async through L1 of `bytes` by each of `lanes`, of which those that
/// are not `reading` write zeros.
BankCount countCopyBanks(uint32_t bytes, uint32_t lanes, uint32_t reading,
                         const uint64_t *sources, const uint64_t *targets);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_PROFILE_SHAREDBANKS_H
