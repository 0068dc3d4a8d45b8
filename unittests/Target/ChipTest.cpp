//===- ChipTest.cpp - The chip table -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Chip.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

TEST(Chip, KnowsTheLimits) {
  struct {
    const char *name;
    int64_t capability, shared;
  } expected[] = {{"sm_80", 80, 166912},   {"sm_86", 86, 101376},
                  {"sm_87", 87, 166912},   {"sm_89", 89, 101376},
                  {"sm_90", 90, 232448},   {"sm_90a", 90, 232448},
                  {"sm_100", 100, 232448}, {"sm_100a", 100, 232448},
                  {"sm_120", 120, 101376}};
  ASSERT_EQ(getKnownChips().size(), std::size(expected));
  for (const auto &row : expected) {
    Expected<const ChipInfo &> chip = lookupChip(row.name);
    ASSERT_TRUE(bool(chip)) << row.name;
    EXPECT_EQ(chip->name, row.name);
    EXPECT_EQ(chip->capability, row.capability);
    EXPECT_EQ(chip->sharedPerBlock, row.shared);
    EXPECT_EQ(chip->sharedPerSM, row.shared + chip->sharedReserved);
    EXPECT_GT(chip->speed.numSMs, 0);
    // Estimates of registers count with those of any chip.
    EXPECT_EQ(chip->registersPerSM, ChipInfo{}.registersPerSM);
    EXPECT_EQ(chip->maxRegistersPerThread, ChipInfo{}.maxRegistersPerThread);
  }
}

TEST(Chip, Features) {
  EXPECT_FALSE(cantFail(lookupChip("sm_80")).features.tma);
  EXPECT_TRUE(cantFail(lookupChip("sm_90")).features.tma);
  EXPECT_FALSE(cantFail(lookupChip("sm_90")).features.wgmma);
  EXPECT_TRUE(cantFail(lookupChip("sm_90a")).features.wgmma);
  EXPECT_EQ(cantFail(lookupChip("sm_90a")).getPTXFeature(), "+ptx81");
}

TEST(Chip, SuffixIsForOneCapability) {
  for (const ChipInfo &chip : getKnownChips())
    EXPECT_EQ(chip.features.isForOneCapability, chip.name.ends_with("a"))
        << chip.name.str();
}

TEST(Chip, NativeChipHasTheSuffixIfThereIsOne) {
  EXPECT_EQ(getNativeChip(80), "sm_80");
  EXPECT_EQ(getNativeChip(90), "sm_90a");
  EXPECT_EQ(getNativeChip(100), "sm_100a");
  EXPECT_EQ(getNativeChip(120), "sm_120");
  EXPECT_EQ(getNativeChip(75), "sm_75");
}

TEST(Chip, UnknownNameListsTheKnown) {
  for (const char *name : {"sm_75", "", "90", "sm_90 "})
    EXPECT_EQ(toString(lookupChip(name).takeError()),
              std::string("unknown chip '") + name +
                  "'; known are sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, "
                  "sm_100, sm_100a, sm_120");
}

} // namespace
