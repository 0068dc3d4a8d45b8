//===- LearnTree.cpp - Decision trees -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each comparison is the one with the least sum of losses if the configuration
// of each side were the best single one of its sizes.
//
//===----------------------------------------------------------------------===//

#include "Logic/CostTable.h"

using namespace llvm;

namespace tcgemm {
namespace {

struct Split {
  float loss = 0;
  SizeFeature feature = SizeFeature::M;
  int64_t threshold = 0;
};

class TreeLearner {
public:
  explicit TreeLearner(const Samples &samples) : samples(samples) {}

  unsigned add(std::vector<unsigned> sizes, unsigned depthLeft);
  SizeRule rule;

private:
  int64_t get(SizeFeature feature, unsigned size) const {
    return getSizeFeature(feature, samples.table.getSizes()[size]);
  }
  void improve(SizeFeature feature, std::vector<unsigned> sizes,
               const LossSums &total, std::optional<Split> &best) const;

  const Samples &samples;
};

} // namespace

/// Takes the best threshold of the feature if it is better than `best`.
void TreeLearner::improve(SizeFeature feature, std::vector<unsigned> sizes,
                          const LossSums &total,
                          std::optional<Split> &best) const {
  llvm::sort(sizes, [&](unsigned a, unsigned b) {
    return std::pair(get(feature, a), a) < std::pair(get(feature, b), b);
  });
  LossSums below(samples);
  for (size_t i = 0; i + samples.leafSizes < sizes.size(); ++i) {
    below.add(sizes[i]);
    int64_t value = get(feature, sizes[i]), next = get(feature, sizes[i + 1]);
    if (i + 1 < samples.leafSizes || value == next)
      continue;
    float loss = below.getLeast() + below.getLeastOfRest(total);
    if (!best || loss < best->loss)
      best = Split{loss, feature, getThreshold(value, next)};
  }
}

/// Adds the tree of these sizes and returns its first node.
unsigned TreeLearner::add(std::vector<unsigned> sizes, unsigned depthLeft) {
  auto index = static_cast<unsigned>(rule.nodes.size());
  rule.nodes.emplace_back();
  LossSums total(samples);
  for (unsigned size : sizes)
    total.add(size);
  std::optional<Split> best;
  for (unsigned i = 0; depthLeft > 0 && i != kNumSizeFeatures; ++i)
    improve(static_cast<SizeFeature>(i), sizes, total, best);
  if (!best || total.getLeast() - best->loss <= samples.leastGain) {
    rule.nodes[index].config = total.getChoice();
    return index;
  }
  std::vector<unsigned> below;
  erase_if(sizes, [&](unsigned size) {
    bool isBelow = get(best->feature, size) < best->threshold;
    if (isBelow)
      below.push_back(size);
    return isBelow;
  });
  rule.nodes[index].feature = best->feature;
  rule.nodes[index].threshold = best->threshold;
  unsigned left = add(std::move(below), depthLeft - 1);
  unsigned right = add(std::move(sizes), depthLeft - 1);
  rule.nodes[index].below = left;
  rule.nodes[index].other = right;
  return index;
}

SizeRule learnTree(const Samples &samples, unsigned mostDepth) {
  TreeLearner learner(samples);
  learner.add(samples.sizes, mostDepth);
  return std::move(learner.rule);
}

} // namespace tcgemm
