//===- AsyncCopies.cpp - Copies of cp.async in flight ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

namespace tcgemm::emu {

void AsyncCopies::finish(CopyBatch &batch, uint32_t lanes) {
  forEachLane(lanes, [&](unsigned lane) {
    uint8_t *to = batch.target.data(lane);
    uint8_t *defined = batch.target.defined(lane);
    uint32_t read = batch.sourceBytes[lane];
    memset(to + read, 0, batch.bytes - read);
    if (defined)
      memset(defined, 1, batch.bytes);
    if (!read)
      return;
    memcpy(to, batch.source.data(lane), read);
    const uint8_t *from = batch.source.defined(lane);
    if (defined && from)
      memcpy(defined, from, read);
  });
  if (lanes) {
    ++warp.block.cluster.effects;
    warp.observe([&](ClusterObserver &o) { o.copyEnd(warp, batch, lanes); });
  }
  batch.lanes &= ~lanes;
}

void AsyncCopies::finish(const std::array<uint32_t, kWarpSize> &limit) {
  for (auto &batch : batches) {
    uint32_t done = 0;
    forEachLane(batch->lanes & warp.exec, [&](unsigned lane) {
      done |= uint32_t(batch->group[lane] < limit[lane]) << lane;
    });
    finish(*batch, done);
  }
  dropFinished();
}

void AsyncCopies::finish(uint32_t lanes, uint64_t before) {
  for (auto &batch : batches)
    if (batch->sequence < before)
      finish(*batch, batch->lanes & lanes);
  dropFinished();
}

void AsyncCopies::dropFinished() {
  llvm::erase_if(batches, [](const auto &batch) { return !batch->lanes; });
}

} // namespace tcgemm::emu
