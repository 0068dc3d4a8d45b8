//===- LegalityExpandTest.cpp - The rules of schedule expand --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace tcgemm {
namespace {

class LegalityExpandTest : public testing::Test {
protected:
  LegalityExpandTest() {
    problem.typeA = problem.typeB = problem.output = ScalarType::F32;
    problem.m = problem.n = 4096;
    problem.k = 2;
    problem.coefficients = {0, 4};
    config.schedule = Schedule::Expand;
  }

  /// The names of the broken rules.
  std::vector<std::string> getBroken() const {
    std::vector<std::string> rules;
    for (const Violation &violation :
         findViolations(config, cantFail(lookupChip("sm_90a")), problem))
      rules.push_back(violation.rule.str());
    return rules;
  }

  using Rules = std::vector<std::string>;
  KernelConfig config;
  ProblemInfo problem;
};

TEST_F(LegalityExpandTest, FewStaticCoefficients) {
  EXPECT_EQ(getBroken(), Rules());
  problem.k = 9;
  EXPECT_EQ(getBroken(), Rules{"coefficients"});
  problem.k = 2;
  problem.coefficients = {0, 65};
  EXPECT_EQ(getBroken(), Rules{"coefficients"});
  problem.coefficients = {64, 65};
  EXPECT_EQ(getBroken(), Rules());
}

TEST_F(LegalityExpandTest, NoConvolutions) {
  problem.convolution.emplace();
  EXPECT_TRUE(is_contained(getBroken(), "coefficients"));
}

TEST_F(LegalityExpandTest, Types) {
  problem.typeA = problem.typeB = ScalarType::E4M3;
  EXPECT_TRUE(is_contained(getBroken(), "element-type"));
}

} // namespace
} // namespace tcgemm
