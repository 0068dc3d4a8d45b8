//===- ModelTestUtils.h - Random cases of the model's tests -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_MODEL_MODELTESTUTILS_H
#define TCGEMM_UNITTESTS_MODEL_MODELTESTUTILS_H

#include "gtest/gtest.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tcgemm {

/// The same numbers for the same seed: TCGEMM_SEED, by default 1.
class RandomNumbers {
public:
  RandomNumbers() : seed(readSeed()), engine(seed) {}

  /// Both limits are drawn, too.
  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  int64_t draw(const std::vector<int64_t> &values) {
    return values[engine() % values.size()];
  }

  /// How a failure is repeated.
  std::string describe(int64_t number) const {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    return "case " + std::to_string(number) +
           ": TCGEMM_SEED=" + std::to_string(seed) +
           " TcgemmModelTests --gtest_filter=" + test->test_suite_name() + "." +
           test->name();
  }

private:
  static uint64_t readSeed() {
    const char *text = std::getenv("TCGEMM_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 1;
  }

  uint64_t seed;
  std::mt19937_64 engine;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_MODEL_MODELTESTUTILS_H
