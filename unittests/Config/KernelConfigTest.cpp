//===- KernelConfigTest.cpp - Text, JSON and hash of a config ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/KernelConfig.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

std::string messageOf(Error error) { return toString(std::move(error)); }

/// A configuration in which no parameter has its default.
KernelConfig makeUnusual() {
  KernelConfig config;
  Error error = config.apply(
      "cta = [256, 128, 64], warps = 4x2x1; instruction=16x8x8 stages = 5, "
      "raster = along_n, raster_group = 3, split_k = 7, slice_order = inner, "
      "copy_a = 8, copy_b = 4, unaligned = copy_4, shared = pad, "
      "fragment_buffers = 1, spread_copies = false, loads_first = false, "
      "epilogue = staged, min_ctas = 2, max_registers = 168, "
      "producer = cp_async, tiles_per_cta = 4, tile_order = strided, "
      "stage_a = false, stage_b = false, threads = 8x4x1, "
      "transpose_staging = false, dependent_launch = true, promote_sums = "
      "true, math = mma, loads = shared, row_copies_a = 2, row_copies_b = 4, "
      "dependent_steps = true, representation = packed, early_inputs = "
      "true, stream_epilogue = true");
  EXPECT_FALSE(errorToBool(std::move(error)));
  return config;
}

TEST(KernelConfig, AppliesText) {
  KernelConfig config = makeUnusual();
  EXPECT_EQ(config.cta, (std::array<int64_t, 3>{256, 128, 64}));
  EXPECT_EQ(config.warps, (std::array<int64_t, 3>{4, 2, 1}));
  EXPECT_EQ(config.stages, 5);
  EXPECT_EQ(config.raster, RasterOrder::AlongN);
  EXPECT_EQ(config.sliceOrder, SliceOrder::Inner);
  EXPECT_EQ(config.unaligned, UnalignedPath::Copy4);
  EXPECT_EQ(config.mmaSync.shared, SharedLayout::Pad);
  EXPECT_EQ(config.mmaSync.representation, RepresentationForm::Packed);
  EXPECT_TRUE(config.earlyInputs);
  EXPECT_TRUE(config.streamEpilogue);
  EXPECT_FALSE(config.spreadCopies);
  EXPECT_FALSE(config.loadsFirst);
  EXPECT_EQ(config.epilogue, EpilogueKind::Staged);
  EXPECT_EQ(config.maxRegisters, 168);
  EXPECT_EQ(config.wgmma.producer, ProducerKind::CpAsync);
  EXPECT_TRUE(config.dependentLaunch);
  EXPECT_TRUE(config.dependentSteps);
  EXPECT_EQ(config.wmma.tilesPerCta, 4);
  EXPECT_EQ(config.tileOrder, TileOrder::Strided);
  EXPECT_FALSE(config.isStaged(0));
  EXPECT_FALSE(config.isStaged(1));
  EXPECT_EQ(config.getNumThreads(), 256);
  EXPECT_EQ(config.getWarpM(), 64);
  EXPECT_EQ(config.getWarpN(), 64);
  EXPECT_EQ(config.getKSteps(), 8);
  EXPECT_EQ(config.simt.threads, (std::array<int64_t, 3>{8, 4, 1}));
  EXPECT_FALSE(config.simt.transposeStaging);
  EXPECT_EQ(config.simt.getRowCopies(0), 2);
  EXPECT_EQ(config.simt.getRowCopies(1), 4);
  EXPECT_EQ(config.gemv.math, DotMath::Mma);
  EXPECT_EQ(config.gemv.loads, DotLoads::Shared);
  config.schedule = Schedule::Simt;
  EXPECT_EQ(config.getNumThreads(), 32);
  EXPECT_EQ(config.getThreadM(), 32);
  EXPECT_EQ(config.getThreadN(), 32);
}

TEST(KernelConfig, TextRoundTrip) {
  for (const KernelConfig &config : {KernelConfig(), makeUnusual()}) {
    KernelConfig copy;
    ASSERT_FALSE(errorToBool(copy.apply(config.str())));
    EXPECT_EQ(copy, config);
    EXPECT_EQ(copy.str(), config.str());
  }
}

TEST(KernelConfig, JSONRoundTrip) {
  for (const KernelConfig &config : {KernelConfig(), makeUnusual()}) {
    Expected<KernelConfig> copy = KernelConfig::fromJSON(config.toJSON());
    ASSERT_TRUE(bool(copy)) << messageOf(copy.takeError());
    EXPECT_EQ(*copy, config);
  }
}

TEST(KernelConfig, JSONRejectsOtherThanStrings) {
  Expected<KernelConfig> config =
      KernelConfig::fromJSON(json::Object{{"stages", 3}});
  ASSERT_FALSE(bool(config));
  EXPECT_EQ(messageOf(config.takeError()),
            "config parameter 'stages': expected a string");
}

TEST(KernelConfig, EveryKeyHasAValue) {
  StringSet<> seen;
  KernelConfig config = makeUnusual();
  for (StringRef key : KernelConfig::keys()) {
    EXPECT_TRUE(seen.insert(key).second) << key.str();
    EXPECT_FALSE(config.get(key).empty()) << key.str();
  }
  EXPECT_EQ(config.toJSON().size(), KernelConfig::keys().size());
}

TEST(KernelConfig, HashDependsOnEveryParameter) {
  KernelConfig unusual = makeUnusual();
  EXPECT_EQ(KernelConfig().hash(), KernelConfig().hash());
  EXPECT_EQ(KernelConfig().hash().size(), 16u);
  StringSet<> hashes;
  hashes.insert(KernelConfig().hash());
  for (StringRef key : KernelConfig::keys()) {
    KernelConfig config;
    if (config.get(key) == unusual.get(key))
      continue; // only one value exists so far
    ASSERT_FALSE(errorToBool(config.set(key, unusual.get(key))));
    EXPECT_TRUE(hashes.insert(config.hash()).second) << key.str();
  }
}

TEST(KernelConfig, RejectsBadText) {
  struct {
    const char *text, *message;
  } cases[] = {
      {"stage = 3", "unknown config parameter 'stage'"},
      {"stages", "expected key=value in config text, but got 'stages'"},
      {"stages = three", "expected an integer from 0 to 1048576, but got "
                         "'three'"},
      {"stages = -1", "but got '-1'"},
      {"stages = 1048577", "but got '1048577'"},
      {"stages =", "but got ''"},
      {"stages = 3, split_k = 2; stages = 3",
       "config text gives 'stages' twice"},
      {"cta = 128x128", "expected three integers as [1, 2, 3] or 1x2x3"},
      {"cta = [128, 128, 32", "expected three integers"},
      {"cta = [128, x, 32]", "but got 'x'"},
      {"raster = across", "expected one of along_m, along_n, diagonal, but got "
                          "'across'"},
      {"producer = ldgsts", "expected one of tma, cp_async, but got 'ldgsts'"},
      {"spread_copies = 1", "expected true or false, but got '1'"},
  };
  for (const auto &test : cases) {
    std::string message = messageOf(KernelConfig().apply(test.text));
    EXPECT_NE(message.find(test.message), std::string::npos)
        << test.text << ": " << message;
  }
}

TEST(KernelConfig, SchedulesHaveInstructionsOfTheirOwn) {
  struct {
    const char *text;
    std::array<int64_t, 3> instruction;
  } cases[] = {
      {"schedule=wmma", {16, 16, 16}},
      {"schedule=wmma instruction=32x8x16", {32, 8, 16}},
      {"schedule=wgmma cta=64x96x64", {64, 96, 16}},
      {"schedule=mma_sync", {16, 8, 16}},
  };
  for (const auto &test : cases) {
    KernelConfig config;
    ASSERT_FALSE(errorToBool(config.apply(test.text)));
    EXPECT_EQ(config.instruction, test.instruction) << test.text;
    // Parameters that are set remain set when others are applied.
    ASSERT_FALSE(errorToBool(config.apply("stages=2")));
    EXPECT_EQ(config.instruction, test.instruction) << test.text;
  }
}

TEST(KernelConfig, EmptyTextKeepsDefaults) {
  KernelConfig config;
  EXPECT_FALSE(errorToBool(config.apply(" , ;\n")));
  EXPECT_EQ(config, KernelConfig());
}

} // namespace
