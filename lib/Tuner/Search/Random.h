//===- Random.h - Random numbers of the strategies --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_RANDOM_H
#define TCGEMM_LIB_TUNER_SEARCH_RANDOM_H

#include <cstdint>
#include <random>
#include <vector>

namespace tcgemm {

/// Random numbers that are the same on all platforms. The distributions of the
/// C++ standard library depend on the implementation.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// A number from 0 to `bound` - 1; `bound` must not be 0.
  uint64_t below(uint64_t bound) { return engine() % bound; }
  /// A number from 0 to 1, excluding 1.
  double uniform() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  template <typename T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

private:
  std::mt19937_64 engine;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_RANDOM_H
