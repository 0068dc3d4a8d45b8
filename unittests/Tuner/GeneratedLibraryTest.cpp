//===- GeneratedLibraryTest.cpp - Parts of generated libraries ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Portable/program.h"
#include "ProductTerms.h"
#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Target/AddressDependence.h"
#include "tcgemm/Tuner/Installation.h"
#include "tcgemm/Tuner/LibrarySource.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;

// The message of the portable parts, which every library has for itself.
extern "C" {
tcgemmStatus tcgemmFail(tcgemmStatus status, const char *, ...) {
  return status;
}
tcgemmStatus tcgemmFailDriver(const tcgemmRunDriver *, int, const char *, ...) {
  return TCGEMM_DRIVER;
}
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static uint16_t storeHalf(double value) {
  uint16_t half = 0;
  tcgemmStoreScalar(TCGEMM_F16, value, &half);
  return half;
}

static uint16_t storeReference(double value) {
  uint16_t half = 0;
  storeElement(ScalarType::F16, value, &half);
  return half;
}

static double loadHalf(uint16_t half) {
  return loadElement(ScalarType::F16, &half);
}

TEST(PortableScalarTest, EachHalfIsItself) {
  for (unsigned bits = 0; bits != 0x10000; ++bits) {
    double value = loadHalf(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(loadHalf(storeHalf(value))));
      continue;
    }
    EXPECT_EQ(storeHalf(value), bits);
  }
}

TEST(PortableScalarTest, RoundsBetweenHalves) {
  for (unsigned bits = 0; bits != 0x7c00; ++bits) {
    double low = loadHalf(static_cast<uint16_t>(bits));
    double high = bits == 0x7bff ? 65536 : loadHalf(uint16_t(bits + 1));
    double middle = (low + high) / 2;
    // To even, and to the nearest on either side of the middle.
    EXPECT_EQ(storeHalf(middle), bits + (bits & 1));
    EXPECT_EQ(storeHalf(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(storeHalf(std::nextafter(middle, high)), bits + 1);
    EXPECT_EQ(storeHalf(-std::nextafter(middle, high)), (bits + 1) | 0x8000);
  }
}

TEST(PortableScalarTest, AgreesWithTheRuntime) {
  for (double value : {1e30, -1e30, 65504.0, 65519.9, 65520.0, 1e-30, 5e-324,
                       -0.0, 1.0 / 3, 2.98e-8, 2.99e-8, 5.97e-8})
    EXPECT_EQ(storeHalf(value), storeReference(value)) << value;
  float single = 0;
  tcgemmStoreScalar(TCGEMM_F32, 0.1, &single);
  EXPECT_EQ(single, 0.1F);
  double wide = 0;
  tcgemmStoreScalar(TCGEMM_F64, 0.1, &wide);
  EXPECT_EQ(wide, 0.1);
}

//===----------------------------------------------------------------------===//
// Rules between sizes
//===----------------------------------------------------------------------===//

TEST(DivideSizesTest, OneKernelIsOneLeaf) {
  SizeRule rule = divideSizes({{{64, 64, 64, 1}, 3}, {{128, 64, 64, 1}, 3}});
  ASSERT_EQ(rule.nodes.size(), 1U);
  EXPECT_EQ(rule.choose({5, 6, 7, 1}), 3U);
}

TEST(DivideSizesTest, KnownSizesKeepTheirKernels) {
  std::vector<std::pair<MatmulSizes, unsigned>> exact;
  unsigned number = 0;
  for (int64_t m : {1, 16, 4096})
    for (int64_t n : {512, 700, 8192})
      for (int64_t batch : {1, 7})
        exact.push_back({{m, n, 64, batch}, number++ % 5});
  SizeRule rule = divideSizes(exact);
  for (const auto &[sizes, kernel] : exact)
    EXPECT_EQ(rule.choose(sizes), kernel) << sizes.str();
  for (auto [i, node] : llvm::enumerate(rule.nodes))
    if (!node.config) {
      EXPECT_GT(node.below, i);
      EXPECT_GT(node.other, i);
    }
}

TEST(DivideSizesTest, TheGeometricMiddleDivides) {
  SizeRule rule = divideSizes({{{16, 64, 64, 1}, 0}, {{1024, 64, 64, 1}, 1}});
  EXPECT_EQ(rule.choose({127, 64, 64, 1}), 0U);
  EXPECT_EQ(rule.choose({128, 64, 64, 1}), 1U);
}

TEST(DivideSizesTest, NeighboursAreTold) {
  SizeRule rule = divideSizes({{{1, 64, 64, 1}, 0}, {{2, 64, 64, 1}, 1}});
  EXPECT_EQ(rule.choose({1, 64, 64, 1}), 0U);
  EXPECT_EQ(rule.choose({2, 64, 64, 1}), 1U);
}

//===----------------------------------------------------------------------===//
// Terms of descriptors
//===----------------------------------------------------------------------===//

static KernelSpec parse(llvm::StringRef text) {
  return llvm::cantFail(KernelSpec::parse(text));
}

TEST(ProductTermsTest, DescribesWhatDescriptorsHave) {
  auto terms = library::getProductTerms(
      parse("tf32 nt f32 bias_gelu_residual alpha beta"));
  ASSERT_TRUE(!!terms) << llvm::toString(terms.takeError());
  EXPECT_EQ(terms->typeA, TCGEMM_F32);
  EXPECT_EQ(terms->precision, "tf32");
  EXPECT_EQ(terms->transA, TCGEMM_T);
  EXPECT_EQ(terms->transB, TCGEMM_N);
  EXPECT_EQ(terms->scaling, TCGEMM_ALPHA_BETA);
  EXPECT_EQ(terms->epilogue, "bias_gelu_residual");
  EXPECT_EQ(terms->shapes, (std::vector<tcgemmOperandShape>{
                               TCGEMM_OPERAND_ALONG_N, TCGEMM_OPERAND_MATRIX}));
  auto mixed = library::getProductTerms(parse("u8xs8 tn s32 none"));
  ASSERT_TRUE(!!mixed) << llvm::toString(mixed.takeError());
  EXPECT_EQ(mixed->typeA, TCGEMM_U8);
  EXPECT_EQ(mixed->typeB, TCGEMM_S8);
  EXPECT_EQ(mixed->typeD, TCGEMM_S32);
}

TEST(ProductTermsTest, RefusesOtherKernels) {
  for (llvm::StringRef text :
       {"e4m3 tn bf16 none scales_a", "bf16 tn bf16 none dual=silu-mul",
        "bf16 tn bf16 none transform_a=relu",
        "f32 tn f32 none algebra=max-plus", "bf16 tn bf16 none beta"}) {
    auto terms = library::getProductTerms(parse(text));
    ASSERT_FALSE(!!terms) << text.str();
    EXPECT_EQ(llvm::toString(terms.takeError()),
              "a generated library has no product " + text.str());
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static bool canPlan(llvm::StringRef guard, llvm::StringRef argument = "M") {
  Variant variant;
  variant.guard = llvm::cantFail(Expr::parse(guard));
  variant.steps.emplace_back().arguments.push_back(
      Argument::i64(llvm::cantFail(Expr::parse(argument))));
  return dependsOnAlignmentOnly(variant);
}

TEST(AddressDependenceTest, GuardsOfMultiplesOnly) {
  EXPECT_TRUE(canPlan("M > 3"));
  EXPECT_TRUE(canPlan("A.base % 16 == 0 && M > 3 && B.base % 8 == 0"));
  EXPECT_FALSE(canPlan("A.base % 16 == 8"));
  EXPECT_FALSE(canPlan("A.base % 16 != 0"));
  EXPECT_FALSE(canPlan("A.base % 16 == 0 || M > 3"));
  EXPECT_FALSE(canPlan("A.base % M == 0"));
  EXPECT_FALSE(canPlan("M > 3", "A.base + 1"));
}

//===----------------------------------------------------------------------===//
// Installations
//===----------------------------------------------------------------------===//

static Platform makePlatform(const std::string &driver) {
  return {"sm_90a", "Some GPU", driver, "13.0", "0.1.0+x"};
}

static Record makeRecord(const std::string &driver, TimingStage stage,
                         double time, unsigned stages) {
  Record record;
  record.platform = makePlatform(driver);
  record.config.stages = stages;
  record.timing.stage = stage;
  record.timing.median = time;
  return record;
}

TEST(InstallationTest, AFinalEndsTheSearch) {
  Platform platform = makePlatform("new");
  EXPECT_EQ(planInstallation({}, platform, 4).state, InstallState::New);
  Record full = makeRecord("new", TimingStage::Full, 3, 2);
  EXPECT_EQ(planInstallation(full, platform, 4).state, InstallState::New);
  Record last = makeRecord("new", TimingStage::Final, 3, 2);
  EXPECT_EQ(planInstallation(last, platform, 4).state, InstallState::Known);
  last.outcome = Outcome::Correctness;
  EXPECT_EQ(planInstallation(last, platform, 4).state, InstallState::New);
}

TEST(InstallationTest, AnotherDriverTimesFinalistsAgain) {
  std::vector<Record> records = {
      makeRecord("old", TimingStage::Final, 5, 2),
      makeRecord("old", TimingStage::Final, 3, 3),
      makeRecord("older", TimingStage::Final, 4, 3),
      makeRecord("old", TimingStage::Full, 1, 4),
      makeRecord("old", TimingStage::Final, 4, 5),
  };
  InstallStep step = planInstallation(records, makePlatform("new"), 2);
  EXPECT_EQ(step.state, InstallState::Retime);
  ASSERT_EQ(step.finalists.size(), 2U);
  EXPECT_EQ(step.finalists[0].stages, 3);
  EXPECT_EQ(step.finalists[1].stages, 5);
  Platform other = makePlatform("new");
  other.device = "Another GPU";
  EXPECT_EQ(planInstallation(records, other, 2).state, InstallState::New);
}

TEST(InstallationTest, SharesAreEqual) {
  EXPECT_EQ(getInstallShare(600, 0, 24), 25);
  EXPECT_EQ(getInstallShare(600, 500, 4), 25);
  EXPECT_EQ(getInstallShare(600, 600, 4), 0);
  EXPECT_EQ(getInstallShare(600, 700, 4), 0);
  EXPECT_EQ(getInstallShare(600, 0, 0), 0);
}

TEST(InstallationTest, ProductsWithoutATriedCandidateAreLeft) {
  TuningResult result;
  result.legal = 4;
  EXPECT_EQ(getInstallOutcome(result), InstallOutcome::Left);
  result.tried = 1;
  EXPECT_EQ(getInstallOutcome(result), InstallOutcome::Wrong);
  result.finalists.emplace_back();
  EXPECT_EQ(getInstallOutcome(result), InstallOutcome::Right);
}
