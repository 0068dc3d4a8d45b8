//===- SizeSamples.cpp - Sizes for a model to estimate --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logic/SizeSamples.h"

#include <cmath>
#include <set>

using namespace llvm;

namespace tcgemm {
namespace {

/// The digits of `index` in a base, mirrored at the point: 0 to 1.
double mirrorDigits(unsigned index, unsigned base) {
  double result = 0, digit = 1;
  for (; index; index /= base) {
    digit /= base;
    result += digit * (index % base);
  }
  return result;
}

/// A size between both ends, by the logarithm.
int64_t interpolate(double least, double most, double part) {
  double size = least * std::pow(most / least, part);
  int64_t unit = 1;
  constexpr int64_t mostUnit = 64, parts = 16;
  while (unit < mostUnit && static_cast<double>(2 * unit * parts) <= size)
    unit *= 2;
  return std::max<int64_t>(1, std::llround(size / static_cast<double>(unit)) *
                                  unit);
}

} // namespace

std::vector<MatmulSizes> drawSizes(const KernelSpec &kernel, SampleUse use,
                                   unsigned count) {
  constexpr std::array<unsigned, 4> bases[] = {{2, 3, 5, 7}, {17, 19, 23, 29}};
  const std::array<unsigned, 4> &own = bases[static_cast<unsigned>(use)];
  // No base, so that batches have all sizes.
  constexpr unsigned batchPeriod = 11;
  std::vector<MatmulSizes> sizes;
  std::set<std::string> known;
  // Small products have few sizes, of which some come again.
  for (unsigned i = 1; sizes.size() < count && i < 4 * count + 64; ++i) {
    std::array<double, 4> parts;
    for (auto [part, base] : zip(parts, own))
      part = mirrorDigits(i, base);
    bool isBatch = i % batchPeriod == 0 && !kernel.isGrouped;
    double most = isBatch ? 2048 : 32768;
    MatmulSizes drawn{interpolate(1, isBatch ? most : 16384, parts[0]),
                      interpolate(64, most, parts[1]),
                      interpolate(64, most, parts[2]),
                      isBatch ? interpolate(2, 64, parts[3]) : 1};
    if (known.insert(drawn.str()).second)
      sizes.push_back(drawn);
  }
  return sizes;
}

} // namespace tcgemm
