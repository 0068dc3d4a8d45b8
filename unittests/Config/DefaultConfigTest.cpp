//===- DefaultConfigTest.cpp - The model without records --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ConfigProvider.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {

TEST(DefaultConfig, TakesTheLargestSizes) {
  // The products of these sizes are beyond 64 bits.
  DefaultConfigProvider provider;
  for (const char *name : {"sm_80", "sm_90", "sm_90a"})
    for (int64_t size : {int64_t(1) << 31, int64_t(1) << 32, int64_t(1) << 40})
      for (int64_t batch : {int64_t(1), size})
        for (ScalarType type : {ScalarType::BF16, ScalarType::F32}) {
          const ChipInfo &chip = llvm::cantFail(lookupChip(name));
          ProblemInfo problem;
          problem.m = problem.n = problem.k = size;
          problem.batch = batch;
          problem.typeA = problem.typeB = type;
          std::optional<KernelConfig> config =
              provider.lookup({chip, problem, "matmul", ""});
          ASSERT_TRUE(config.has_value()) << name << " " << size;
          EXPECT_EQ(config->splitK, 1) << name << " " << size;
          double time = estimateTime(*config, chip, problem);
          EXPECT_TRUE(std::isfinite(time) && time > 1e6) << time;
        }
}

} // namespace
