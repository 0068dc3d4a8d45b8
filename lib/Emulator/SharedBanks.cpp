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

/// The lanes, from the first on, that want no two words of one bank; those that
/// read nothing are always among them.
static uint32_t takePass(uint32_t bytes, uint32_t lanes, uint32_t reading,
                         const uint64_t *addresses) {
  unsigned wordsOfLane = std::max(1u, bytes / 4);
  uint64_t wordOf[kBanks];
  uint32_t taken = lanes & ~reading, seen = 0;
  for (uint32_t rest = lanes & reading; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t word = addresses[lane] / 4;
    bool fits = true;
    for (unsigned i = 0; i < wordsOfLane; ++i) {
      unsigned bank = (word + i) % kBanks;
      fits &= !(seen >> bank & 1) || wordOf[bank] == word + i;
    }
    if (!fits)
      continue;
    taken |= 1u << lane;
    for (unsigned i = 0; i < wordsOfLane; ++i) {
      seen |= 1u << (word + i) % kBanks;
      wordOf[(word + i) % kBanks] = word + i;
    }
  }
  return taken;
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

/// How many lanes' accesses make up a group, which is done as one.
static unsigned getGroupLanes(uint32_t bytes) {
  return bytes <= 4 ? kLanes : std::max(4u, kBanks * 4 / bytes);
}

BankCount countBanks(BankAccess kind, uint32_t bytes, uint32_t lanes,
                     const uint64_t *addresses) {
  BankCount count;
  unsigned groupLanes = getGroupLanes(bytes);
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
        countPasses(bytes, group, addresses, kind != BankAccess::Atomic);
  }
  return count;
}

BankCount countCopyBanks(uint32_t bytes, uint32_t lanes, uint32_t reading,
                         const uint64_t *sources, const uint64_t *targets) {
  BankCount count;
  unsigned groupLanes = getGroupLanes(bytes);
  for (unsigned first = 0; first < kLanes; first += groupLanes) {
    uint32_t rest = lanes & uint32_t((uint64_t(1) << groupLanes) - 1) << first;
    count.ideal += rest != 0;
    while (rest) {
      uint32_t pass = takePass(bytes, rest, reading, sources);
      rest &= ~pass;
      count.wavefronts += countPasses(bytes, pass, targets, /*joins=*/false);
    }
  }
  return count;
}

} // namespace tcgemm::emu
