//===- SharedBanks.cpp - Bank conflicts of shared memory ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/SharedBanks.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <optional>

namespace tcgemm::emu {

static constexpr unsigned kLanes = 32, kBanks = 32;

/// The greatest number of words that the lanes access in one bank. If `joins`,
/// lanes share equal words.
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

/// Selects lanes in order, and skips a lane whose banks a selected lane uses,
/// even for the same word.
static uint32_t takeFreeOfConflicts(uint32_t bytes, uint32_t lanes,
                                    const uint64_t *addresses) {
  unsigned wordsOfLane = std::max(1u, bytes / 4);
  uint32_t taken = 0, seen = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint32_t banks = ((uint32_t(1) << wordsOfLane) - 1)
                     << (addresses[lane] / 4 % kBanks);
    if (seen & banks)
      continue;
    seen |= banks;
    taken |= 1u << lane;
  }
  return taken;
}

/// Selects the lanes whose lines L1 looks up at once: in each of its four sets
/// the first lane's line. The set is the exclusive or of the two-bit digits of
/// the line's number.
static uint32_t takeLookup(uint32_t lanes, const uint64_t *addresses) {
  constexpr unsigned kLineBytes = 128, kSets = 4;
  std::optional<uint64_t> lineOf[kSets];
  uint32_t taken = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest), set = 0;
    uint64_t line = addresses[lane] / kLineBytes;
    for (uint64_t bits = line; bits; bits /= kSets)
      set ^= bits % kSets;
    if (!lineOf[set])
      lineOf[set] = line;
    if (lineOf[set] == line)
      taken |= 1u << lane;
  }
  return taken;
}

/// Returns whether each lane has the address of the lane whose number differs
/// in `bit`, if that lane is active.
static bool arePairs(uint32_t lanes, const uint64_t *addresses, unsigned bit) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if ((lanes >> (lane ^ bit) & 1) && addresses[lane] != addresses[lane ^ bit])
      return false;
  }
  return true;
}

/// The number of lanes in a group, whose accesses are done at once.
static unsigned getGroupLanes(uint32_t bytes) {
  return bytes <= 4 ? kLanes : std::max(4u, kBanks * 4 / bytes);
}

/// Calls `function` with the lanes of each group that is not empty.
template <typename Function>
static void forEachGroup(uint32_t lanes, unsigned groupLanes,
                         Function function) {
  for (unsigned first = 0; first < kLanes; first += groupLanes)
    if (uint32_t group = lanes & uint32_t((uint64_t(1) << groupLanes) - 1)
                                     << first)
      function(group);
}

BankCount countBanks(BankAccess kind, uint32_t bytes, uint32_t lanes,
                     const uint64_t *addresses) {
  BankCount count;
  unsigned groupLanes = getGroupLanes(bytes);
  if (kind == BankAccess::Load && groupLanes < kLanes &&
      (arePairs(lanes, addresses, 1) || arePairs(lanes, addresses, 2)))
    groupLanes *= 2;
  bool joins = kind != BankAccess::Atomic && kind != BankAccess::CompareSwap;
  forEachGroup(lanes, groupLanes, [&](uint32_t group) {
    ++count.ideal;
    count.wavefronts += countPasses(bytes, group, addresses, joins);
  });
  // Each pass reads first and writes later. Its conflicts count once.
  if (kind == BankAccess::CompareSwap) {
    count.ideal += count.wavefronts;
    count.wavefronts *= 2;
  }
  return count;
}

BankCount countZeroBanks(uint32_t bytes, uint32_t lanes,
                         const uint64_t *targets) {
  return countBanks(BankAccess::Atomic, bytes, lanes, targets);
}

BankCount countCopyBanks(uint32_t bytes, uint32_t lanes, uint32_t reading,
                         const uint64_t *sources, const uint64_t *targets) {
  BankCount count = countZeroBanks(bytes, lanes & ~reading, targets);
  for (uint32_t rest = lanes & reading; rest;) {
    uint32_t lookup = takeLookup(rest, sources);
    rest &= ~lookup;
    forEachGroup(lookup, getGroupLanes(bytes), [&](uint32_t group) {
      ++count.ideal;
      while (group) {
        uint32_t pass = takeFreeOfConflicts(bytes, group, sources);
        group &= ~pass;
        count.wavefronts += countPasses(bytes, pass, targets, /*joins=*/false);
      }
    });
  }
  return count;
}

} // namespace tcgemm::emu
