//===- SharedBanks.cpp - Passes over shared memory's banks ----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedBanks.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace tcgemm::emu {

static constexpr unsigned kLanes = 32, kBanks = 32;

/// The greatest number of words that the lanes want of one bank: different ones
/// if `joins`, otherwise each lane's.
static uint32_t countPasses(uint32_t bytes, uint32_t lanes,
                            const uint64_t *addresses, bool joins) {
  unsigned wordsOfLane = std::max(1u, bytes / 4);
  uint64_t firstOf[kBanks];
  uint32_t seen = 0;
  bool conflict = false;
  for (uint32_t rest = lanes; rest && !conflict; rest &= rest - 1) {
    uint64_t word = addresses[llvm::countr_zero(rest)] / 4;
    for (unsigned i = 0; i < wordsOfLane; ++i, ++word) {
      unsigned bank = word % kBanks;
      conflict |= (seen >> bank & 1) && (!joins || firstOf[bank] != word);
      seen |= 1u << bank;
      firstOf[bank] = word;
    }
  }
  if (!conflict)
    return lanes != 0;

  uint64_t words[kLanes * 8];
  unsigned count = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint64_t word = addresses[llvm::countr_zero(rest)] / 4;
    for (unsigned i = 0; i < wordsOfLane; ++i)
      words[count++] = word + i;
  }
  if (joins) {
    std::sort(words, words + count);
    count = std::unique(words, words + count) - words;
  }
  uint32_t ofBank[kBanks] = {};
  for (unsigned i = 0; i < count; ++i)
    ++ofBank[words[i] % kBanks];
  return *std::max_element(ofBank, ofBank + kBanks);
}

/// Whether each lane has the address of the one whose number differs in `bit`,
/// if that takes part.
static bool arePairs(uint32_t lanes, const uint64_t *addresses, unsigned bit) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if ((lanes >> (lane ^ bit) & 1) && addresses[lane] != addresses[lane ^ bit])
      return false;
  }
  return true;
}

BankCount countBanks(BankAccess kind, uint32_t bytes, uint32_t lanes,
                     const uint64_t *addresses) {
  BankCount count;
  unsigned groupLanes = bytes <= 4 ? kLanes : std::max(4u, kBanks * 4 / bytes);
  auto groupMask = [&](unsigned first, unsigned size) {
    return lanes & uint32_t((uint64_t(1) << size) - 1) << first;
  };
  if (kind == BankAccess::Load && groupLanes < kLanes &&
      (arePairs(lanes, addresses, 1) || arePairs(lanes, addresses, 2))) {
    unsigned joined = groupLanes * 2;
    bool free = true;
    for (unsigned first = 0; first < kLanes; first += joined) {
      uint32_t group = groupMask(first, joined);
      count.ideal += group != 0;
      free &= countPasses(bytes, group, addresses, true) <= 1;
    }
    if (free) {
      count.wavefronts = count.ideal;
      return count;
    }
    count = {};
  }
  for (unsigned first = 0; first < kLanes; first += groupLanes) {
    uint32_t group = groupMask(first, groupLanes);
    count.ideal += group != 0;
    count.wavefronts +=
        countPasses(bytes, group, addresses, kind != BankAccess::Copy);
  }
  return count;
}

} // namespace tcgemm::emu
