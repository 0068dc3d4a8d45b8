//===- VectorClock.cpp - Vector clocks ------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/VectorClock.h"

#include <algorithm>

namespace tcgemm::emu {

void joinTimes(ClusterTimes &times, llvm::ArrayRef<uint32_t> others) {
  if (times.size() < others.size())
    times.resize(others.size(), 0);
  for (size_t i = 0; i < others.size(); ++i)
    times[i] = std::max(times[i], others[i]);
}

void VectorClock::join(const VectorClock &other) {
  joinTimes(own, other.own);
  for (const auto &entry : other.foreign)
    joinTimes(foreign[entry.first], entry.second);
}

void SharedClock::join(uint32_t cluster, const VectorClock &clock) {
  joinTimes(times[cluster], clock.own);
  for (const auto &entry : clock.foreign)
    joinTimes(times[entry.first], entry.second);
}

void SharedClock::join(const SharedClock &other) {
  for (const auto &entry : other.times)
    joinTimes(times[entry.first], entry.second);
}

void SharedClock::joinInto(uint32_t cluster, VectorClock &clock) const {
  for (const auto &entry : times)
    joinTimes(entry.first == cluster ? clock.own : clock.foreign[entry.first],
              entry.second);
}

} // namespace tcgemm::emu
