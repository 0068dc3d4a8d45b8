//===- SearchSpaceWalks.cpp - The legal points of a space -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the product depth first. A restriction is evaluated where the last of
// the axes that it asks for gets its value, so that whole subtrees fall away.
//
//===----------------------------------------------------------------------===//

#include "Space/SearchSpaceImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

void SearchSpace::forEachLegal(
    function_ref<bool(const SpacePoint &)> visit) const {
  const Implementation &impl = *implementation;
  if (impl.isRestricted) {
    for (uint64_t index : *impl.legal)
      if (!visit(getPoint(index)))
        return;
    return;
  }
  SpacePoint point(getNumAxes());
  auto holdAt = [&](unsigned depth, const KernelConfig &config) {
    return all_of(impl.restrictions, [&](const BoundRestriction &restriction) {
      return restriction.depth != depth ||
             impl.holds(restriction, point, config);
    });
  };
  auto walk = [&](auto &self, unsigned axis, const KernelConfig &config) {
    if (axis == getNumAxes()) {
      KernelConfig complete = config;
      impl.complete(complete, point);
      return !holdAt(axis, complete) ||
             !findViolations(complete, *impl.chip, impl.info).empty() ||
             visit(point);
    }
    if (!holdAt(axis, config))
      return true;
    for (unsigned i = 0; i != getNumValues(axis); ++i) {
      point[axis] = i;
      KernelConfig next = config;
      impl.setAxis(next, axis, i);
      if (!self(self, axis + 1, next))
        return false;
    }
    return true;
  };
  walk(walk, 0, impl.space.getBase());
}

ArrayRef<uint64_t> SearchSpace::getLegal() const {
  std::optional<std::vector<uint64_t>> &indices = implementation->legal;
  if (!indices) {
    indices.emplace();
    forEachLegal([&](const SpacePoint &point) {
      indices->push_back(getIndex(point));
      return true;
    });
  }
  return *indices;
}

SpaceCount SearchSpace::count() const {
  const Implementation &impl = *implementation;
  size_t numRestrictions = impl.restrictions.size();
  ArrayRef<StringLiteral> rules = getRuleNames();
  // How many fall to each restriction, then to each rule.
  std::vector<uint64_t> lost(numRestrictions + rules.size());
  SpacePoint point(getNumAxes());
  // `first`: the first restriction that is known to be broken. A subtree is
  // walked on only while an earlier one may be broken in it.
  auto walk = [&](auto &self, unsigned axis, const KernelConfig &config,
                  size_t first, uint64_t size) -> void {
    bool isLeaf = axis == getNumAxes();
    KernelConfig complete = config;
    if (isLeaf)
      impl.complete(complete, point);
    bool isOpen = false;
    for (size_t i = 0; i < std::min(first, numRestrictions); ++i) {
      const BoundRestriction &restriction = impl.restrictions[i];
      if (restriction.depth == axis &&
          !impl.holds(restriction, point, complete))
        first = i;
      isOpen |= restriction.depth > axis && i < first;
    }
    if (first < numRestrictions && !isOpen) {
      lost[first] += size;
      return;
    }
    if (isLeaf) {
      auto violations = findViolations(complete, *impl.chip, impl.info);
      size_t rule = rules.size();
      for (const Violation &violation : violations)
        rule = std::min<size_t>(rule, llvm::find(rules, violation.rule) -
                                          rules.begin());
      if (rule < rules.size())
        ++lost[numRestrictions + rule];
      return;
    }
    for (unsigned i = 0; i != getNumValues(axis); ++i) {
      point[axis] = i;
      KernelConfig next = config;
      impl.setAxis(next, axis, i);
      self(self, axis + 1, next, first, size / getNumValues(axis));
    }
  };
  walk(walk, 0, impl.space.getBase(), numRestrictions, impl.rawSize);

  SpaceCount result;
  uint64_t left = impl.rawSize;
  result.steps.push_back({"raw", left});
  for (size_t i = 0; i != numRestrictions; ++i) {
    left -= lost[i];
    result.steps.push_back({impl.restrictions[i].declared->name, left});
  }
  for (size_t i = 0; i != rules.size(); ++i) {
    left -= lost[numRestrictions + i];
    if (lost[numRestrictions + i])
      result.steps.push_back({rules[i].str(), left});
  }
  result.steps.push_back({"legal", left});
  return result;
}

} // namespace tcgemm
