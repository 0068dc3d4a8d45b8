//===- MBarrier.h - State of mbarriers --------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_MBARRIER_H
#define TCGEMM_LIB_EMULATOR_MACHINE_MBARRIER_H

#include "Machine/Memory.h"
#include "Machine/Observer.h"

#include "llvm/ADT/SmallVector.h"

namespace tcgemm::emu {

class Warp;

/// The state of an mbarrier. Hardware keeps it in the 64 bits of memory. The
/// emulator keeps it separately, so that plain accesses cannot change it.
struct MBarrier {
  uint32_t count = 0;   ///< Arrivals that each phase waits for.
  uint32_t pending = 0; ///< Arrivals that are missing in the present phase.
  int32_t tx = 0;       ///< Bytes that are announced and have not arrived.
  uint64_t phase = 0;   ///< Number of completed phases.
  /// The warps that arrived in this phase and the last one, by
  /// Warp::clusterIndex. For reports.
  llvm::SmallVector<uint32_t, 0> arrived, lastArrived;

  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr int32_t kMaxTx = (1 << 20) - 1;
};

/// The place of an mbarrier.
struct MBarrierRef {
  Block *block = nullptr;
  uint32_t address = 0;
  /// Null if there is none.
  MBarrier *find() const;
  SyncKey getKey(uint64_t phase) const;
};

/// `arrivals` threads arrive. With `isDrop` they do not take part in later
/// phases.
void arrive(Warp &warp, const Instruction &inst, unsigned lane,
            MBarrierRef where, uint32_t arrivals, bool isDrop = false);
/// Announces `bytes`. Negative bytes have arrived.
void addTransactions(Warp &warp, const Instruction &inst, unsigned lane,
                     MBarrierRef where, int64_t bytes);
/// Reports a plain access to an mbarrier.
void checkPlainAccess(Warp &warp, const LaneAccess &access);
/// `phase 3 (parity 1) of the mbarrier at 0x400: 1 of 2 arrivals are missing`
std::string describeMBarrier(const MBarrierRef &where, uint64_t phase);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_MBARRIER_H
