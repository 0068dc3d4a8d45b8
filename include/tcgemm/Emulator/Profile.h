//===- Profile.h - Profile of an emulated kernel ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts of one launch, per instruction and in total. They have the names of
// ncu's counts if ncu has them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_EMULATOR_PROFILE_H
#define TCGEMM_EMULATOR_PROFILE_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tcgemm::emu {

/// Counts of one PTX instruction.
struct SiteProfile {
  uint32_t line = 0;
  std::string kind;      ///< `mma.sync`, `ld.global`, `add.s32`.
  uint64_t executed = 0; ///< By warps.
  uint64_t threads = 0;  ///< By active threads.
  // Shared memory.
  uint64_t wavefronts = 0;
  uint64_t idealWavefronts = 0; ///< Without bank conflicts.
  // Global memory, 32-byte sectors.
  uint64_t sectors = 0;
  uint64_t idealSectors = 0; ///< If every byte moved were used.
  uint64_t asyncBytes = 0;   ///< By asynchronous copies.
  uint64_t tensorMacs = 0;   ///< Multiply-adds by tensor cores.
};

struct Profile {
  std::string kernel;
  std::vector<SiteProfile> sites; ///< Executed ones, in the order of the text.
  uint64_t blocks = 0;
  uint64_t warps = 0;
  uint64_t barriers = 0; ///< Block-wide barrier instructions executed by warps.
  // Traffic between L1 and L2, and L2 and memory, by the cache model.
  uint64_t l2ReadBytes = 0;
  uint64_t l2WriteBytes = 0;
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
};

/// A table of the sums by kind, then of the sites with most conflicts.
void printTable(const Profile &profile, llvm::raw_ostream &os);
llvm::json::Value toJSON(const Profile &profile);
/// The PTX text with counts in the margin of each executed line.
void printAnnotated(const Profile &profile, llvm::StringRef ptx,
                    llvm::raw_ostream &os);

} // namespace tcgemm::emu

#endif // TCGEMM_EMULATOR_PROFILE_H
