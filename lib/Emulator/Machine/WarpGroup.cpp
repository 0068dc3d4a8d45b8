//===- WarpGroup.cpp - Pending wgmma of a warpgroup -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

namespace tcgemm::emu {

void checkWgmmaRegisters(Warp &warp, const Instruction &inst) {
  // wgmma checks its own registers.
  if (inst.extra && inst.source->opcode == "wgmma")
    return;
  const bool check = warp.block.launch().options.checks.races;
  auto touch = [&](uint32_t id, bool writes) {
    warp.frame->touched[id] = warp.wgmmaEpoch;
    bool inFlight = warp.frame->accumulating[id];
    if (!check || (!inFlight && !(writes && warp.frame->multiplying[id])))
      return;
    llvm::StringRef name = warp.frame->function->source->registers[id].name;
    if (inFlight)
      warp.report(FindingKind::AccumulatorInFlight, inst,
                  llvm::countr_zero(warp.exec), 0,
                  "'" + name + "' is " + (writes ? "written" : "read") +
                      " while wgmma.mma_async still computes it: no "
                      "wgmma.wait_group between");
    else
      warp.report(FindingKind::OperandOverwritten, inst,
                  llvm::countr_zero(warp.exec), 0,
                  "'" + name +
                      "' is written while wgmma.mma_async still reads it "
                      "as A: no wgmma.wait_group between");
  };
  for (uint32_t id : inst.sources)
    touch(id, /*writes=*/false);
  for (uint32_t id : inst.destinations)
    touch(id, /*writes=*/true);
}

void dropWgmma(Warp &warp) {
  unsigned index = warp.index % 4;
  WarpGroup &group = warp.block.warpGroups[warp.index / 4];
  for (auto &op : group.ops)
    if ((op->issued & ~op->retired) >> index & 1 &&
        op->parts[index].frame == warp.frame)
      op->parts[index].frame = nullptr;
}

} // namespace tcgemm::emu
