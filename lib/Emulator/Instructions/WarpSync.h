//===- WarpSync.h - Instructions of a whole warp ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of the `.sync` instructions: the lanes that must take part, and the
// findings about missing lanes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WARPSYNC_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WARPSYNC_H

#include "Machine/Decoder.h"
#include "Machine/Warp.h"

namespace tcgemm::emu {

constexpr uint32_t kAllLanes = 0xffffffff;

/// `1, 4-7 and 9`: the lanes of a mask for people.
std::string printLanes(uint32_t lanes);

/// `.aligned` instructions need all 32 threads. Missing ones are a finding.
void reportMissingLanes(Warp &warp, const Instruction &inst);
inline void checkWholeWarp(Warp &warp, const Instruction &inst) {
  if (warp.exec != kAllLanes)
    reportMissingLanes(warp, inst);
}

/// Reports `lanes` that execute with the member mask `members` if the mask
/// names other lanes.
void checkMembers(Warp &warp, uint32_t members, uint32_t lanes);

/// Calls fn(members, lanes) for each set of lanes in exec that have the same
/// member mask. Independent groups of a warp may be at one instruction.
template <class Fn>
inline void forEachGroup(Warp &warp, const Slot &memberMask, Fn fn) {
  const uint32_t *masks = warp.lanes<uint32_t>(memberMask);
  for (uint32_t rest = warp.exec; rest;) {
    uint32_t members = masks[__builtin_ctz(rest)];
    uint32_t lanes = 0;
    forEachLane(rest, [&](unsigned lane) {
      lanes |= uint32_t(masks[lane] == members) << lane;
    });
    rest &= ~lanes;
    if (members != lanes)
      checkMembers(warp, members, lanes);
    fn(members, lanes);
  }
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WARPSYNC_H
