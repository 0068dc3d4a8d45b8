//===- LearnThresholds.cpp - Nested ranges of sizes -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of a feature are cut into ranges, and each range by the next
// feature. The cuts of a feature have the least sum of losses of all cuts, if
// the configuration of each range were the best single one of its sizes.
//
//===----------------------------------------------------------------------===//

#include "Logic/CostTable.h"

using namespace llvm;

namespace tcgemm {
namespace {

class ThresholdLearner {
public:
  ThresholdLearner(const Samples &samples, ArrayRef<SizeFeature> order)
      : samples(samples), order(order) {}

  unsigned add(std::vector<unsigned> sizes, unsigned level);
  SizeRule rule;

private:
  /// Sizes with one value of a feature, or a range of values.
  using Group = std::vector<unsigned>;

  int64_t get(unsigned level, unsigned size) const {
    return getSizeFeature(order[level], samples.table.getSizes()[size]);
  }
  std::vector<Group> group(Group sizes, unsigned level) const;
  std::vector<Group> cut(const std::vector<Group> &values) const;
  unsigned addRanges(MutableArrayRef<Group> ranges, unsigned level);
  unsigned addLeaf(const Group &sizes);

  const Samples &samples;
  ArrayRef<SizeFeature> order;
};

} // namespace

/// The sizes by their values of the feature, which increase.
std::vector<ThresholdLearner::Group>
ThresholdLearner::group(Group sizes, unsigned level) const {
  llvm::sort(sizes, [&](unsigned a, unsigned b) {
    return std::pair(get(level, a), a) < std::pair(get(level, b), b);
  });
  std::vector<Group> values;
  for (unsigned size : sizes) {
    if (values.empty() || get(level, values.back().front()) != get(level, size))
      values.emplace_back();
    values.back().push_back(size);
  }
  return values;
}

/// The ranges with the least sum, by dynamic programming over their ends.
std::vector<ThresholdLearner::Group>
ThresholdLearner::cut(const std::vector<Group> &values) const {
  struct Prefix {
    float loss = 0;
    size_t start = 0; ///< Where its last range begins.
  };
  std::vector<std::optional<Prefix>> prefixes(values.size() + 1);
  prefixes[0] = Prefix();
  for (size_t start = 0; start != values.size(); ++start) {
    if (!prefixes[start])
      continue;
    LossSums sums(samples);
    size_t count = 0;
    for (size_t end = start + 1; end <= values.size(); ++end) {
      for (unsigned size : values[end - 1])
        sums.add(size);
      count += values[end - 1].size();
      // A range of too few sizes is whole only if it is the only one.
      bool isAll = start == 0 && end == values.size();
      if (count < samples.leafSizes && !isAll)
        continue;
      float loss = prefixes[start]->loss + sums.getLeast() + samples.leastGain;
      if (!prefixes[end] || loss < prefixes[end]->loss)
        prefixes[end] = Prefix{loss, start};
    }
  }
  std::vector<Group> ranges;
  for (size_t end = values.size(); end != 0; end = prefixes[end]->start) {
    Group range;
    for (size_t i = prefixes[end]->start; i != end; ++i)
      append_range(range, values[i]);
    ranges.insert(ranges.begin(), std::move(range));
  }
  return ranges;
}

unsigned ThresholdLearner::addLeaf(const Group &sizes) {
  LossSums sums(samples);
  for (unsigned size : sizes)
    sums.add(size);
  rule.nodes.emplace_back().config = sums.getChoice();
  return static_cast<unsigned>(rule.nodes.size() - 1);
}

/// Comparisons that find the range, half of the ranges at a time.
unsigned ThresholdLearner::addRanges(MutableArrayRef<Group> ranges,
                                     unsigned level) {
  if (ranges.size() == 1)
    return add(std::move(ranges.front()), level + 1);
  auto index = static_cast<unsigned>(rule.nodes.size());
  rule.nodes.emplace_back();
  size_t half = ranges.size() / 2;
  int64_t threshold = getThreshold(get(level, ranges[half - 1].back()),
                                   get(level, ranges[half].front()));
  unsigned left = addRanges(ranges.take_front(half), level);
  unsigned right = addRanges(ranges.drop_front(half), level);
  SizeRule::Node &node = rule.nodes[index];
  node.feature = order[level];
  node.threshold = threshold;
  node.below = left;
  node.other = right;
  return index;
}

unsigned ThresholdLearner::add(Group sizes, unsigned level) {
  if (level == order.size())
    return addLeaf(sizes);
  std::vector<Group> ranges = cut(group(std::move(sizes), level));
  return addRanges(ranges, level);
}

SizeRule learnThresholds(const Samples &samples, ArrayRef<SizeFeature> order) {
  ThresholdLearner learner(samples, order);
  learner.add(samples.sizes, 0);
  return std::move(learner.rule);
}

} // namespace tcgemm
