//===- TimeBoundTest.cpp - Tests of lower bounds and limits -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/TimeBound.h"
#include "ModelTestUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using llvm::cantFail;
using llvm::StringRef;

namespace {

std::string readShipped() {
  auto buffer = llvm::MemoryBuffer::getFile(TCGEMM_SOURCE_DIR
                                            "/tuning/nvidia-h200.limits.yaml");
  return (*buffer)->getBuffer().str();
}

/// Limits that are easy to compute with.
SpeedLimits makeLimits() {
  SpeedLimits limits;
  limits.chip = "sm_90a";
  auto set = [&](SpeedLimit limit, double value) {
    limits.values[size_t(limit)] = value;
  };
  set(SpeedLimit::Launch, 500);
  set(SpeedLimit::CopyLatency, 600);
  set(SpeedLimit::Epilogue, 300);
  set(SpeedLimit::MathRate, 4096);
  set(SpeedLimit::CopyRate, 128);
  set(SpeedLimit::CacheRate, 16384);
  set(SpeedLimit::MemoryRate, 4096);
  set(SpeedLimit::OutsideRow, 4);
  set(SpeedLimit::ClusterProcessors, 128);
  return limits;
}

ProblemInfo makeProduct(int64_t m, int64_t n, int64_t k) {
  ProblemInfo product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.batch = 1;
  product.typeA = product.typeB = ScalarType::BF16;
  return product;
}

TimeBound bound(StringRef text, const ProblemInfo &product,
                const SpeedLimits &limits = makeLimits()) {
  KernelConfig config;
  config.schedule = Schedule::Wgmma;
  EXPECT_FALSE(errorToBool(config.apply(text))) << text.str();
  return computeTimeBound(limits, config, cantFail(lookupChip("sm_90a")),
                          product);
}

constexpr StringRef kTile =
    "cta=128x128x64 warps=8x1x1 stages=4 epilogue=tma cluster=1x1x1";
constexpr double kStage = 128 * 128 * 64 / 4096.0;

TEST(TimeBound, AddsWhatFollowsEachOther) {
  TimeBound one = bound(kTile, makeProduct(128, 128, 1024));
  EXPECT_EQ(one.launch, 500);
  EXPECT_EQ(one.firstCopy, 600);
  EXPECT_EQ(one.epilogue, 300);
  EXPECT_EQ(one.others, 0);
  // 16 stages of one CTA.
  EXPECT_EQ(one.products, 16 * kStage);
  EXPECT_EQ(one.copies, 16 * (2 * 128 * 64 * 2) / 128.0);
  EXPECT_EQ(one.ring, 16 * (600 + kStage) / 4);
  EXPECT_EQ(one.memory, 2 * 128 * 1024 * 2 / 4096.0);
  EXPECT_EQ(one.outside, 0);
  EXPECT_EQ(one.getMain(), std::max(600 + one.products, one.ring));
  EXPECT_EQ(one.getTotal(), 500 + one.getMain() + 300);
}

/// 132 tiles give each multiprocessor one; 133 give one of them two.
TEST(TimeBound, CountsTheBusiestMultiprocessor) {
  double one = bound(kTile, makeProduct(128, 128 * 132, 1024)).products;
  EXPECT_EQ(one, 16 * kStage);
  EXPECT_EQ(bound(kTile, makeProduct(128, 128 * 133, 1024)).products, 2 * one);
}

/// An instruction reads 64 rows of A, however few its columns are.
TEST(TimeBound, NarrowTilesTakeAsLongAsWiderOnes) {
  auto get = [](StringRef columns) {
    return bound(("cta=64x" + columns + "x64 warps=4x1x1 stages=4").str(),
                 makeProduct(64, 8, 1024))
        .products;
  };
  EXPECT_EQ(get("8"), get("32"));
  EXPECT_EQ(get("64"), 2 * get("32"));
}

/// All CTAs have the rows outside A if one tile covers it. Otherwise only the
/// last tiles have some, and the average counts.
TEST(TimeBound, CountsRowsOutsideAnOperand) {
  EXPECT_EQ(bound(kTile, makeProduct(64, 128, 1024)).outside, 16 * 64 * 4);
  EXPECT_EQ(bound(kTile, makeProduct(192, 128, 1024)).outside,
            2 * 16 * 32 * 4 / 132.0);
  EXPECT_EQ(bound(kTile, makeProduct(128, 64, 1024)).outside, 16 * 64 * 4);
}

/// 33 clusters of four are launched, but at most 32 have a place at once.
TEST(TimeBound, ClustersWithoutAPlaceBeginLater) {
  ProblemInfo cube = makeProduct(4096, 4096, 4096);
  constexpr StringRef tile = "cta=128x256x64 warps=8x1x1 stages=4 epilogue=tma "
                             "persistent=true cluster=";
  constexpr double stage = 128 * 256 * 64 / 4096.0;
  // 512 tiles: 128 clusters of them, at least 3 for each of 33, twice.
  EXPECT_EQ(bound((tile + "2x2x1").str(), cube).products, 2 * 3 * 64 * stage);
  // 4 tiles for some of 132 CTAs.
  EXPECT_EQ(bound((tile + "2x1x1").str(), cube).products, 4 * 64 * stage);
  // All clusters have a place if each multiprocessor holds two.
  EXPECT_EQ(bound("cta=64x64x64 warps=4x1x1 stages=3 persistent=true "
                  "cluster=2x2x1 min_ctas=2",
                  cube)
                .products,
            32 * 64 * (64 * 64 * 64 / 4096.0));
}

TEST(TimeBound, CountsFurtherLaunches) {
  ProblemInfo deep = makeProduct(128, 128, 16384);
  EXPECT_EQ(bound(kTile, deep).others, 0);
  EXPECT_EQ(bound((kTile + " split_k=4").str(), deep).others, 500);
  // A launch that overlaps the kernel before it costs nothing.
  TimeBound early =
      bound((kTile + " split_k=4 dependent_launch=true").str(), deep);
  EXPECT_EQ(early.launch, 0);
  EXPECT_EQ(early.others, 0);
  // Operands whose rows are no multiple of 16 bytes are packed: read once more.
  TimeBound packed = bound(kTile, makeProduct(128, 128, 1001));
  EXPECT_EQ(packed.memory, 0);
  EXPECT_EQ(packed.others, 500 + 2 * 128 * 1001 * 2 / 4096.0);
}

TEST(TimeBound, KnowsOnlyTheLaunchOfOtherProducts) {
  ProblemInfo grouped = makeProduct(4096, 4096, 4096);
  grouped.isGrouped = true;
  ProblemInfo symmetric = makeProduct(4096, 4096, 4096);
  symmetric.isSymmetric = true;
  ProblemInfo constants = makeProduct(4096, 4096, 4096);
  constants.coefficients = {0, 16};
  ProblemInfo split = makeProduct(4096, 4096, 4096);
  cantFail(split.setOperandTypes("bf16x6"));
  for (const ProblemInfo &product : {grouped, symmetric, constants, split})
    EXPECT_EQ(bound(kTile, product).getTotal(), 500);
}

/// A faster limit never gives a longer time.
TEST(TimeBound, FallsWithFasterLimits) {
  RandomNumbers random;
  for (int64_t i = 0; i != 500; ++i) {
    ProblemInfo product = makeProduct(
        random.draw(1, 5000), 8 * random.draw(1, 600), 8 * random.draw(1, 600));
    std::string config =
        "cta=" + std::to_string(64 * random.draw(1, 2)) + "x" +
        std::to_string(8 * random.draw(1, 32)) +
        "x64 warps=4x1x1 stages=" + std::to_string(random.draw(2, 6)) +
        " persistent=" + (random.draw(0, 1) ? "true" : "false") +
        " cluster=" + std::to_string(random.draw(1, 2)) + "x" +
        std::to_string(random.draw(1, 2)) + "x1";
    double before = bound(config, product).getTotal();
    for (const auto &[index, info] : llvm::enumerate(getLimitInfos())) {
      SpeedLimits faster = makeLimits();
      faster.values[index] *= info.unit == "ns" ? 0.5 : 2;
      EXPECT_LE(bound(config, product, faster).getTotal(), before)
          << info.name.str() << ", " << config << ", " << random.describe(i);
    }
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(SpeedLimits, EveryShippedLimitHasASource) {
  SpeedLimits limits = cantFail(parseSpeedLimits(readShipped(), "h200"));
  EXPECT_EQ(limits.chip, "sm_90a");
  EXPECT_EQ(limits.name, "NVIDIA H200");
  EXPECT_EQ(limits.get(SpeedLimit::MathRate), 4055);
  for (const std::string &source : limits.sources)
    EXPECT_FALSE(source.empty());
}

/// The error after `from` is replaced by `to` in the shipped file.
std::string getError(StringRef from, StringRef to) {
  std::string text = readShipped();
  size_t position = text.find(from.str());
  EXPECT_NE(position, std::string::npos) << from.str();
  text.replace(position, from.size(), to.str());
  llvm::Expected<SpeedLimits> limits = parseSpeedLimits(text, "l.yaml");
  EXPECT_FALSE(bool(limits)) << to.str();
  return limits ? "" : toString(limits.takeError());
}

TEST(SpeedLimits, ErrorsNameTheLimitAndTheRule) {
  EXPECT_EQ(getError("value: 4055", "value: 0"),
            "l.yaml: math_rate = 0, but it must be 0.01 to 1e+07 macs/ns");
  EXPECT_EQ(getError("unit: macs/ns", "unit: flops"),
            "l.yaml: math_rate has the unit 'flops', but it must be 'macs/ns'");
  EXPECT_EQ(getError("chip: sm_90a", "chip: sm_1").substr(0, 22),
            "l.yaml: unknown chip '");
  EXPECT_EQ(getError("name: \"NVIDIA H200\"", "name: \"\""),
            "l.yaml: name is empty");
  EXPECT_NE(
      getError("  launch:", "  lunch:").find("missing required key 'launch'"),
      std::string::npos);
  EXPECT_EQ(getError("source: \"datasheet: 4.8 TB/s\"", "source: \"\""),
            "l.yaml: memory_rate needs a source");
}

} // namespace
