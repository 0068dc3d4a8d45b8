//===- VectorClock.h - Vector clocks ----------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over warps. A warp's time is the number of its memory accesses,
// so that a time also names an instruction. The warps of the own cluster are an
// array, since each access looks there. Of other clusters the clock has those
// from which a value was received through a word of global memory.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_CHECKERS_VECTORCLOCK_H
#define TCGEMM_LIB_EMULATOR_CHECKERS_VECTORCLOCK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tcgemm::emu {

/// By warp of a cluster: the last access that is known.
using ClusterTimes = llvm::SmallVector<uint32_t, 16>;

void joinTimes(ClusterTimes &times, llvm::ArrayRef<uint32_t> others);

struct VectorClock {
  ClusterTimes own;
  llvm::DenseMap<uint32_t, ClusterTimes> foreign; ///< By cluster.

  explicit VectorClock(size_t warps = 0) : own(warps, 0) {}

  /// Joins a clock of the same cluster.
  void join(const VectorClock &other);
  uint32_t getForeign(uint32_t cluster, uint32_t warp) const {
    auto it = foreign.find(cluster);
    return it == foreign.end() || warp >= it->second.size() ? 0
                                                            : it->second[warp];
  }
};

/// A clock that moves from one cluster to another.
struct SharedClock {
  llvm::DenseMap<uint32_t, ClusterTimes> times; ///< By cluster.

  void join(uint32_t cluster, const VectorClock &clock);
  void join(const SharedClock &other);
  void joinInto(uint32_t cluster, VectorClock &clock) const;
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_CHECKERS_VECTORCLOCK_H
