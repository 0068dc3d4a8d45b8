//===- AsyncCopies.h - Copies of cp.async in flight -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H
#define TCGEMM_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H

#include "Machine/Observer.h"

namespace tcgemm::emu {

/// The asynchronous copies that a warp has begun. A copy takes place when a
/// lane waits for it.
class AsyncCopies {
public:
  explicit AsyncCopies(Warp &warp) : warp(warp) {}

  void begin(std::unique_ptr<CopyBatch> batch) {
    batches.push_back(std::move(batch));
  }
  /// Performs the copies of the executing lanes whose group is below the lane's
  /// limit.
  void finish(const std::array<uint32_t, kWarpSize> &limit);
  /// Performs the copies of `lanes` in batches before the number `before`.
  void finish(uint32_t lanes, uint64_t before);

  /// By lane: committed groups of cp.async.
  std::array<uint32_t, kWarpSize> committed{};
  uint64_t sequence = 0; ///< Batches begun so far.
  /// By lane: committed groups of bulk copies.
  std::array<uint32_t, kWarpSize> bulkGroups{};

private:
  void finish(CopyBatch &batch, uint32_t lanes);
  void dropFinished();

  Warp &warp;
  std::vector<std::unique_ptr<CopyBatch>> batches; ///< Not finished.
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H
