//===- WarpSync.cpp - Instructions of a whole warp ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/WarpSync.h"
#include "Machine/Block.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace tcgemm::emu;
using llvm::Twine;

std::string tcgemm::emu::printLanes(uint32_t lanes) {
  llvm::SmallVector<std::string> ranges;
  for (unsigned first = 0; first != kWarpSize; ++first) {
    if (!(lanes >> first & 1))
      continue;
    unsigned last = first;
    while (last + 1 != kWarpSize && (lanes >> (last + 1) & 1))
      ++last;
    if (last == first + 1)
      last = first;
    std::string range = std::to_string(first);
    if (last != first)
      range += "-" + std::to_string(last);
    ranges.push_back(range);
    first = last;
  }
  if (ranges.size() < 2)
    return llvm::join(ranges, ", ");
  std::string end = ranges.pop_back_val();
  return llvm::join(ranges, ", ") + " and " + end;
}

static bool wantsBarrierChecks(Warp &warp) {
  return warp.block.launch().options.checks.barriers;
}

void tcgemm::emu::reportMissingLanes(Warp &warp, const Instruction &inst) {
  if (!wantsBarrierChecks(warp))
    return;
  uint32_t missing = ~warp.exec;
  uint32_t gone = missing & (warp.exited | ~warp.launched);
  std::string why =
      gone == missing ? "exited or never existed" : "are elsewhere";
  warp.report(FindingKind::BarrierDivergence, llvm::countr_zero(warp.exec), 0,
              inst.source->opcode + ".sync by only " +
                  Twine(llvm::popcount(warp.exec)) + " of the warp's " +
                  Twine(kWarpSize) + " threads: lanes " + printLanes(missing) +
                  " " + why);
}

void tcgemm::emu::checkMembers(Warp &warp, uint32_t members, uint32_t lanes) {
  if (!wantsBarrierChecks(warp))
    return;
  if (uint32_t strangers = lanes & ~members)
    warp.report(FindingKind::BarrierDivergence, llvm::countr_zero(strangers), 0,
                "the member mask 0x" + llvm::utohexstr(members, true, 8) +
                    " does not name lane " + Twine(printLanes(strangers)) +
                    ", which executes with it");
  uint32_t live = warp.launched & ~warp.exited;
  if (uint32_t missing = members & live & ~lanes)
    warp.report(FindingKind::BarrierDivergence, llvm::countr_zero(lanes), 0,
                "the member mask 0x" + llvm::utohexstr(members, true, 8) +
                    " names lane " + Twine(printLanes(missing)) +
                    ", which does not execute this with it");
}
