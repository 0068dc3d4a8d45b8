//===- DivideSizes.cpp - Rules between known sizes ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/LibrarySource.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

using Known = std::pair<MatmulSizes, unsigned>;

constexpr SizeFeature kFeatures[] = {SizeFeature::M, SizeFeature::N,
                                     SizeFeature::K, SizeFeature::Batch};

/// Divides sizes where the gap between two of them is the largest.
class Divider {
public:
  SizeRule divide(ArrayRef<Known> all) {
    std::vector<Known> known = all.vec();
    add(known);
    return std::move(rule);
  }

private:
  struct Cut {
    SizeFeature feature = SizeFeature::M;
    int64_t threshold = 0;
    double gap = 0; ///< The logarithm of the neighbours' ratio.
  };
  static Cut findCut(ArrayRef<Known> part);
  unsigned add(MutableArrayRef<Known> part);

  SizeRule rule;
};

} // namespace

Divider::Cut Divider::findCut(ArrayRef<Known> part) {
  Cut best;
  for (SizeFeature feature : kFeatures) {
    std::vector<int64_t> values;
    for (const Known &each : part)
      values.push_back(
          std::max<int64_t>(getSizeFeature(feature, each.first), 1));
    llvm::sort(values);
    for (size_t i = 1; i != values.size(); ++i) {
      auto low = static_cast<double>(values[i - 1]),
           high = static_cast<double>(values[i]);
      if (double gap = std::log(high / low); gap > best.gap)
        best = {feature,
                std::max(values[i - 1] + 1,
                         static_cast<int64_t>(
                             std::lround(std::sqrt(low) * std::sqrt(high)))),
                gap};
    }
  }
  return best;
}

unsigned Divider::add(MutableArrayRef<Known> part) {
  auto number = static_cast<unsigned>(rule.nodes.size());
  rule.nodes.emplace_back();
  Cut cut = findCut(part);
  bool isSame = all_of(part, [&](const Known &each) {
    return each.second == part.front().second;
  });
  // Sizes without a gap are the same, or differ in a 0 alone.
  if (isSame || cut.gap == 0) {
    rule.nodes[number].config = part.front().second;
    return number;
  }
  auto *middle =
      std::partition(part.begin(), part.end(), [&](const Known &each) {
        return getSizeFeature(cut.feature, each.first) < cut.threshold;
      });
  unsigned below = add({part.begin(), middle});
  unsigned other = add({middle, part.end()});
  SizeRule::Node &node = rule.nodes[number];
  node.feature = cut.feature;
  node.threshold = cut.threshold;
  node.below = below;
  node.other = other;
  return number;
}

SizeRule divideSizes(ArrayRef<std::pair<MatmulSizes, unsigned>> exact) {
  return Divider().divide(exact);
}

} // namespace tcgemm
