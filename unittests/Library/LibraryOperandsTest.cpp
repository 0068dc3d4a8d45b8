//===- LibraryOperandsTest.cpp - Which addresses a run may have -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"

#include <cstring>

using namespace tcgemm;

namespace {

/// Products of bf16 of 16 x 16 x 16: each matrix has 512 bytes.
class LibraryOperandsTest : public LibraryTest {
protected:
  void SetUp() override {
    LibraryTest::SetUp();
    desc = makeDesc(16, 16, 16);
    EXPECT_OK(tcgemmOperandsInit(&operands));
    operands.a = memory.get(), operands.b = memory.get(512);
    operands.d = memory.get(1024);
  }
  void TearDown() override {
    EXPECT_OK(tcgemmPlanDestroy(plan));
    LibraryTest::TearDown();
  }

  tcgemmStatus run() {
    return tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr);
  }
  /// Expects that the run is refused because of an address that is not read.
  void expectUnread(const std::string &name, const std::string &reason) {
    EXPECT_EQ(run(), TCGEMM_INVALID_VALUE);
    EXPECT_EQ(getMessage(),
              "the address of " + name +
                  " is given, but the plan does not read it: " + reason);
  }
  /// Expects that the run is refused because two operands share memory.
  void expectShared(const std::string &first, const std::string &second) {
    EXPECT_EQ(run(), TCGEMM_INVALID_VALUE);
    std::string message = getMessage();
    EXPECT_EQ(message.find(first + " at 0x"), 0u) << message;
    EXPECT_NE(message.find(" and " + second + " at 0x"), std::string::npos)
        << message;
    EXPECT_NE(message.find(" share memory, but a result must have memory of "
                           "its own"),
              std::string::npos)
        << message;
  }

  DeviceMemory memory{std::vector<uint8_t>(8192)};
  tcgemmMatmulDesc desc;
  tcgemmOperands operands;
  tcgemmPlan_t plan = nullptr;
};

TEST_F(LibraryOperandsTest, UnreadAddresses) {
  desc.epilogue = "bias";
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.epilogue[0] = memory.get(2048);
  const tcgemmOperands good = operands;
  void *other = memory.get(4096);
  EXPECT_OK(run());
  operands.c = other;
  expectUnread("C", "its scaling is not TCGEMM_ALPHA_BETA");
  operands = good;
  operands.epilogue[1] = other;
  expectUnread("epilogue[1]", "its epilogue has no such operand");
  operands = good;
  operands.offsets = other;
  expectUnread("offsets", "it is not of tcgemmPlanGrouped");
  operands = good;
  operands.b2 = other;
  expectUnread("B2", "its descriptor has no dual");
  operands = good;
  operands.scaleB = other;
  expectUnread("scaleB", "its descriptor has no such scales");
  operands = good;
  operands.zeroPoints = other;
  expectUnread("zeroPoints", "its descriptor has no zeroPointType");
  operands = good;
  operands.reductions[7] = other;
  expectUnread("reductions[7]", "its descriptor has no such reduction");
  for (const void **pointer : {&operands.alphaPointer, &operands.betaPointer}) {
    operands = good;
    *pointer = other;
    expectUnread(pointer == &operands.alphaPointer ? "alpha" : "beta",
                 "its scaling has no such factor in device memory");
  }
  // tcgemmRun has C as an argument.
  desc.epilogue = "none";
  EXPECT_OK(tcgemmPlanDestroy(plan));
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  EXPECT_EQ(tcgemmRun(plan, good.a, good.b, other, good.d, nullptr, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "the address of C is given, but the plan does not "
                          "read it: its scaling is not TCGEMM_ALPHA_BETA");
  EXPECT_OK(tcgemmRun(plan, good.a, good.b, nullptr, good.d, nullptr, nullptr));
}

/// Plans without elements launch nothing, but have the same rules.
TEST_F(LibraryOperandsTest, UnreadAddressesOfEmptyProducts) {
  desc.m = 0;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  EXPECT_OK(run());
  operands.c = memory.get();
  expectUnread("C", "its scaling is not TCGEMM_ALPHA_BETA");
}

TEST_F(LibraryOperandsTest, UnreadScalars) {
  desc.scaling = TCGEMM_ALPHA;
  desc.pointerMode = TCGEMM_POINTER_DEVICE;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.alphaPointer = memory.get(2048);
  EXPECT_OK(run());
  operands.alpha = 2;
  EXPECT_EQ(run(), TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(),
            "alpha is not 1, but the plan's pointer mode is "
            "TCGEMM_POINTER_DEVICE: alphaPointer and betaPointer have the "
            "values");
  operands.alpha = 1;
  operands.betaPointer = memory.get(2048);
  expectUnread("beta", "its scaling has no such factor in device memory");
}

TEST_F(LibraryOperandsTest, SharedMemory) {
  desc.epilogue = "bias_residual";
  desc.scaling = TCGEMM_ALPHA_BETA;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.c = memory.get(2048);
  operands.beta = 1;
  operands.epilogue[0] = memory.get(4096);
  operands.epilogue[1] = memory.get(3072);
  const tcgemmOperands good = operands;
  EXPECT_OK(run());
  // Operands may share memory.
  operands.b = operands.a = operands.c;
  EXPECT_OK(run());
  // C and matrices of the epilogue may be D.
  operands = good;
  operands.c = operands.epilogue[1] = operands.d;
  EXPECT_OK(run());
  operands = good;
  operands.a = operands.d;
  expectShared("A", "D");
  // The last rows of B are the first ones of D.
  operands = good;
  operands.b = memory.get(1024 - 32);
  expectShared("B", "D");
  operands.b = memory.get(1024 + 480);
  expectShared("B", "D");
  operands.b = memory.get(1024 + 512);
  EXPECT_OK(run());
  operands = good;
  operands.epilogue[0] = memory.get(1024 + 256);
  expectShared("epilogue[0]", "D");
  // C is D, but a row later.
  operands = good;
  operands.c = memory.get(1024 + 32);
  expectShared("C", "D");
  // It is not read.
  operands.beta = 0;
  EXPECT_OK(run());
}

/// The text of an epilogue need not use an operand that its words name.
TEST_F(LibraryOperandsTest, UnusedOperandOfABody) {
  desc.epilogue = "bias_residual";
  desc.epilogueBody = "%result = math.absf %sum : f32";
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.epilogue[0] = memory.get(2048);
  operands.epilogue[1] = memory.get(4096);
  EXPECT_OK(run());
  operands.a = operands.d;
  expectShared("A", "D");
}

/// Matrices of one larger matrix may lie in each other's gaps.
TEST_F(LibraryOperandsTest, SharedMemoryWithGaps) {
  desc.lda = desc.ldb = desc.ldd = 48;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.a = memory.get(), operands.b = memory.get(32);
  operands.d = memory.get(64);
  EXPECT_OK(run());
  operands.d = memory.get(32);
  expectShared("B", "D");
}

/// C must have D's rows to be D.
TEST_F(LibraryOperandsTest, InPlaceWithOtherRows) {
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.ldc = 32;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  operands.c = operands.d;
  operands.beta = 1;
  expectShared("C", "D");
}

TEST_F(LibraryOperandsTest, SharedWorkspace) {
  desc = makeDesc(16, 16, 256);
  desc.config = "schedule=mma_sync cta=16x16x32 warps=1x1x1 split_k=2";
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  ASSERT_EQ(bytes, 2048u);
  DeviceMemory factors(std::vector<uint8_t>(16 * 256 * 2)), d(4096);
  auto runAt = [&](size_t offset) {
    return tcgemmRun(plan, factors.get(), factors.get(), nullptr, d.get(2048),
                     d.get(offset), nullptr);
  };
  EXPECT_OK(runAt(0));
  EXPECT_EQ(runAt(512), TCGEMM_WORKSPACE);
  EXPECT_EQ(getMessage().find("the workspace at 0x"), 0u) << getMessage();
  EXPECT_NE(getMessage().find(" and D at 0x"), std::string::npos);
}

/// A product by index string whose D is copied.
TEST_F(LibraryOperandsTest, SharedMemoryOfContractions) {
  tcgemmContractionDesc contraction;
  ASSERT_OK(tcgemmContractionDescInit(&contraction));
  contraction.indices = "mkb,bkn->mnb";
  const int64_t a[] = {8, 8, 2}, b[] = {2, 8, 8};
  std::memcpy(contraction.sizesA, a, sizeof a);
  std::memcpy(contraction.sizesB, b, sizeof b);
  contraction.scaling = TCGEMM_ALPHA_BETA;
  ASSERT_OK(tcgemmPlanContraction(handle, &contraction, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  ASSERT_NE(bytes, 0u);
  DeviceMemory workspace(bytes);
  auto runInPlace = [&](void *first, void *c) {
    operands.a = first;
    operands.c = c;
    operands.d = memory.get(1024);
    operands.beta = 1;
    return tcgemmRunOperands(plan, &operands, workspace.get(), bytes, nullptr);
  };
  EXPECT_OK(runInPlace(memory.get(), memory.get(1024)));
  EXPECT_EQ(runInPlace(memory.get(1024), memory.get(2048)),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage().find("A at 0x"), 0u) << getMessage();
}

} // namespace
