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

/// What hardware keeps in an mbarrier's 64 bits. Here these hold a mark only;
/// the state is beside the memory, so that plain accesses cannot change it.
struct MBarrier {
  uint32_t count = 0;   ///< Arrivals that each phase waits for.
  uint32_t pending = 0; ///< Those that the present one still waits for.
  int32_t tx = 0;       ///< Bytes that are announced and have not come.
  uint64_t phase = 0;   ///< How often it was completed.
  /// Who has arrived in this phase and the last one, as Warp::clusterIndex; for
  /// reports.
  llvm::SmallVector<uint32_t, 0> arrived, lastArrived;

  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr int32_t kMaxTx = (1 << 20) - 1;
};

/// Where an mbarrier is.
struct MBarrierRef {
  Block *block = nullptr;
  uint32_t address = 0;
  /// Null if there is none.
  MBarrier *find() const;
  SyncKey getKey(uint64_t phase) const;
};

/// `arrivals` threads arrive. `isDrop`: and do not take part any more.
void arrive(Warp &warp, const Instruction &inst, unsigned lane,
            MBarrierRef where, uint32_t arrivals, bool isDrop = false);
/// Announces `bytes`; negative: they have come.
void addTransactions(Warp &warp, const Instruction &inst, unsigned lane,
                     MBarrierRef where, int64_t bytes);
/// A finding if [address, address + bytes) of a block's memory has an mbarrier.
void checkPlainAccess(Warp &warp, const LaneAccess &access);
/// `phase 3 (parity 1) of the mbarrier at 0x400: 1 of 2 arrivals are missing`
std::string describeMBarrier(const MBarrierRef &where, uint64_t phase);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_MBARRIER_H
