//===- Chip.cpp - The Target GPUs -------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr ChipFeatures ampere{};
constexpr ChipFeatures hopper{true, true, /*tma=*/true, /*wgmma=*/false};
constexpr ChipFeatures hopperA{true, true, /*tma=*/true, /*wgmma=*/true,
                               /*isForOneCapability=*/true};
constexpr ChipFeatures blackwellA{true, true, /*tma=*/true, /*wgmma=*/false,
                                  /*isForOneCapability=*/true};

// A100, RTX A6000, Orin, RTX 4090, H100/H200, B200, RTX 5090.
constexpr ChipSpeed a100{108, 1.41, 1024, 1900, 4000, 40, 64, 32, 64};
constexpr ChipSpeed a6000{84, 1.80, 512, 700, 2000, 6};
constexpr ChipSpeed orin{16, 1.30, 1024, 180, 600, 4};
constexpr ChipSpeed rtx4090{128, 2.52, 256, 950, 4500, 72};
constexpr ChipSpeed h200{132, 1.75, 2048, 4300, 6000, 50, 128, 64, 128};
constexpr ChipSpeed b200{148, 1.85, 1024, 7200, 8000, 126, 128, 64, 64};
constexpr ChipSpeed rtx5090{170, 2.41, 256, 1650, 6000, 96};

// Name, capability, shared memory per block and SM, threads per SM, PTX ISA.
// PTX 8.1 is the first one with conversions of FP8 on sm_89.
constexpr ChipInfo chips[] = {
    {"sm_80", 80, 166912, 167936, 2048, 80, ampere, a100},
    {"sm_86", 86, 101376, 102400, 1536, 80, ampere, a6000},
    {"sm_87", 87, 166912, 167936, 1536, 80, ampere, orin},
    {"sm_89", 89, 101376, 102400, 1536, 81, ampere, rtx4090},
    {"sm_90", 90, 232448, 233472, 2048, 80, hopper, h200},
    {"sm_90a", 90, 232448, 233472, 2048, 81, hopperA, h200},
    {"sm_100", 100, 232448, 233472, 2048, 86, hopper, b200},
    {"sm_100a", 100, 232448, 233472, 2048, 86, blackwellA, b200},
    {"sm_120", 120, 101376, 102400, 1536, 87, hopper, rtx5090},
};

} // namespace

ArrayRef<ChipInfo> getKnownChips() { return chips; }

std::string getNativeChip(int64_t capability) {
  const ChipInfo *found = find_if(chips, [&](const ChipInfo &chip) {
    return chip.capability == capability && chip.features.isForOneCapability;
  });
  return found != std::end(chips) ? found->name.str()
                                  : "sm_" + std::to_string(capability);
}

Expected<const ChipInfo &> lookupChip(StringRef name) {
  for (const ChipInfo &chip : chips)
    if (chip.name == name)
      return chip;
  auto names = map_range(chips, [](const ChipInfo &chip) { return chip.name; });
  return createStringError(inconvertibleErrorCode(), "unknown chip '" + name +
                                                         "'; known are " +
                                                         join(names, ", "));
}

} // namespace tcgemm
