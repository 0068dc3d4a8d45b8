//===- SizeLogic.cpp - Rules from sizes to configurations -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/SizeLogic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;

namespace tcgemm {

StringRef getSizeFeatureName(SizeFeature feature) {
  static constexpr StringLiteral names[] = {
      "m", "n", "k", "batch", "area", "divisor_m", "divisor_n", "divisor_k"};
  static_assert(std::size(names) == kNumSizeFeatures);
  return names[static_cast<unsigned>(feature)];
}

StringRef getRuleKindName(RuleKind kind) {
  static constexpr StringLiteral names[] = {"thresholds", "tree"};
  static_assert(std::size(names) == kNumRuleKinds);
  return names[static_cast<unsigned>(kind)];
}

static int64_t getArea(const MatmulSizes &sizes) {
  int64_t area = 0;
  // M and N have 31 bits each.
  if (MulOverflow(sizes.m * sizes.n, sizes.batch, area))
    return std::numeric_limits<int64_t>::max();
  return area;
}

static int64_t getDivisor(int64_t size) {
  constexpr int64_t most = 64;
  return std::min(size & -size, most);
}

int64_t getSizeFeature(SizeFeature feature, const MatmulSizes &sizes) {
  switch (feature) {
  case SizeFeature::M:
    return sizes.m;
  case SizeFeature::N:
    return sizes.n;
  case SizeFeature::K:
    return sizes.k;
  case SizeFeature::Batch:
    return sizes.batch;
  case SizeFeature::Area:
    return getArea(sizes);
  case SizeFeature::DivisorM:
    return getDivisor(sizes.m);
  case SizeFeature::DivisorN:
    return getDivisor(sizes.n);
  case SizeFeature::DivisorK:
    return getDivisor(sizes.k);
  }
  llvm_unreachable("unknown feature");
}

unsigned SizeRule::choose(const MatmulSizes &sizes) const {
  const Node *node = nodes.data();
  while (!node->config)
    node = &nodes[getSizeFeature(node->feature, sizes) < node->threshold
                      ? node->below
                      : node->other];
  return *node->config == kFastest ? chooseFastest(sizes) : *node->config;
}

unsigned SizeRule::chooseFastest(const MatmulSizes &sizes) const {
  FormulaSizes asked(sizes);
  const TimeFormula *best = &formulas.front();
  double least = std::numeric_limits<double>::infinity();
  for (const TimeFormula &formula : formulas) {
    double square = formula.estimateSquare(asked);
    if (square >= least)
      continue;
    least = square;
    best = &formula;
  }
  return best->config;
}

void SizeRule::renumber(function_ref<unsigned(unsigned)> getNumber) {
  for (Node &node : nodes)
    if (node.config && *node.config != kNoChoice && *node.config != kFastest)
      node.config = getNumber(*node.config);
  for (TimeFormula &formula : formulas)
    formula.config = getNumber(formula.config);
}

unsigned SizeRule::getDepth() const {
  std::vector<unsigned> depths(nodes.size());
  unsigned most = 0;
  for (auto [node, depth] : zip(nodes, depths)) {
    most = std::max(most, depth);
    if (node.config)
      continue;
    for (unsigned next : {node.below, node.other})
      depths[next] = std::max(depths[next], depth + 1);
  }
  return most;
}

unsigned SizeRule::countLeaves() const {
  return static_cast<unsigned>(count_if(
      nodes, [](const Node &node) { return node.config.has_value(); }));
}

} // namespace tcgemm
