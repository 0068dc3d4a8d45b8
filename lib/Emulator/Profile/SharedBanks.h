//===- SharedBanks.h - Bank conflicts of shared memory ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes. A wavefront moves at most one word of
// each bank. So an access takes as many wavefronts as it needs different words
// of one bank. Accesses of 8 bytes a lane are done by halves of the warp,
// accesses of 16 bytes by quarters, one after another. For ldmatrix and
// stmatrix a quarter has the rows of a matrix.
//
// Two halves (or the two quarters of a half) of a load become one if every lane
// has the address of its neighbour: the lane whose number differs in bit 0, or
// for all lanes in bit 1. Stores are never joined. Atomics are serialised even
// on the same word, so each lane counts. A compare-and-swap takes two
// wavefronts for each.
//
// A cp.async through L1 reads its data out of the L1, which lies in the same
// banks, and writes it into shared memory. L1 looks lines up four at a time,
// one of each set. The data of one look-up moves group by group as above. The
// lanes of a group form passes that read no bank twice (each lane reads even
// the same word anew), and the writes of each pass form passes that write no
// bank twice. Lanes that read nothing write zeros separately.
//
// A copy that bypasses L1 (.cg) is written as it comes from L2. No wavefronts
// are counted for it, except for its zeros.
//
// ncu shows this count as wavefronts. Its bank conflicts are the excess over
// the count without conflicts, which is one for each group, or for each group
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
  uint32_t ideal = 0; ///< Without bank conflicts.
};

/// The wavefronts of an access of `bytes` (1 to 32, a power of two) by each of
/// `lanes`. The addresses are multiples of `bytes`.
BankCount countBanks(BankAccess kind, uint32_t bytes, uint32_t lanes,
                     const uint64_t *addresses);

/// The wavefronts of zeros that a cp.async writes, `bytes` by each of `lanes`.
BankCount countZeroBanks(uint32_t bytes, uint32_t lanes,
                         const uint64_t *targets);

/// The wavefronts of a cp.async through L1 of `bytes` by each of `lanes`. Lanes
/// that are not `reading` write zeros.
BankCount countCopyBanks(uint32_t bytes, uint32_t lanes, uint32_t reading,
                         const uint64_t *sources, const uint64_t *targets);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_PROFILE_SHAREDBANKS_H
