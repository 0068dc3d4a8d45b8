//===- SpaceWalks.cpp - The legal points of a space -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product is traversed depth first. A restriction is evaluated as soon as
// all of its axes are set, so that whole subtrees are skipped.
//
//===----------------------------------------------------------------------===//

#include "Space/SpaceWalks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

void walkLegal(const BoundSpace &space, ArrayRef<BoundRestriction> restrictions,
               function_ref<bool(const SpacePoint &)> visit) {
  SpacePoint point(space.getNumAxes());
  auto holdAt = [&](unsigned depth, const KernelConfig &config) {
    return all_of(restrictions, [&](const BoundRestriction &restriction) {
      return restriction.getDepth() != depth ||
             restriction.holds(point, config);
    });
  };
  auto walk = [&](auto &self, unsigned axis, const KernelConfig &config) {
    if (axis == space.getNumAxes()) {
      KernelConfig complete = config;
      space.complete(complete, point);
      return !holdAt(axis, complete) ||
             !isLegal(complete, *space.chip, space.info) || visit(point);
    }
    if (!holdAt(axis, config))
      return true;
    for (unsigned i = 0; i != space.getNumValues(axis); ++i) {
      point[axis] = i;
      KernelConfig next = config;
      space.setAxis(next, axis, i);
      if (!self(self, axis + 1, next))
        return false;
    }
    return true;
  };
  walk(walk, 0, space.space.getBase());
}

namespace {

/// Counts the points that each restriction and then each rule excludes.
class LossCounter {
public:
  LossCounter(const BoundSpace &space, ArrayRef<BoundRestriction> restrictions)
      : space(space), restrictions(restrictions), rules(getRuleNames()),
        lost(restrictions.size() + rules.size()), point(space.getNumAxes()) {
    walk(0, space.space.getBase(), restrictions.size(), space.rawSize);
  }

  SpaceCount getSteps() const;

private:
  void walk(unsigned axis, const KernelConfig &config, size_t first,
            uint64_t size);
  void countRule(const KernelConfig &config);

  const BoundSpace &space;
  ArrayRef<BoundRestriction> restrictions;
  ArrayRef<StringLiteral> rules;
  std::vector<uint64_t> lost;
  SpacePoint point;
};

/// Counts a point that all restrictions allow at the first rule that it breaks.
void LossCounter::countRule(const KernelConfig &config) {
  size_t rule = rules.size();
  for (const Violation &violation :
       findViolations(config, *space.chip, space.info))
    rule = std::min<size_t>(rule,
                            llvm::find(rules, violation.rule) - rules.begin());
  if (rule < rules.size())
    ++lost[restrictions.size() + rule];
}

/// `first` is the first restriction that is known to be broken. A subtree is
/// traversed only if an earlier restriction may be broken in it.
void LossCounter::walk(unsigned axis, const KernelConfig &config, size_t first,
                       uint64_t size) {
  bool isLeaf = axis == space.getNumAxes();
  KernelConfig complete = config;
  if (isLeaf)
    space.complete(complete, point);
  bool isOpen = false;
  for (size_t i = 0; i < std::min(first, restrictions.size()); ++i) {
    const BoundRestriction &restriction = restrictions[i];
    if (restriction.getDepth() == axis && !restriction.holds(point, complete))
      first = i;
    isOpen |= restriction.getDepth() > axis && i < first;
  }
  if (first < restrictions.size() && !isOpen) {
    lost[first] += size;
    return;
  }
  if (isLeaf) {
    countRule(complete);
    return;
  }
  for (unsigned i = 0; i != space.getNumValues(axis); ++i) {
    point[axis] = i;
    KernelConfig next = config;
    space.setAxis(next, axis, i);
    walk(axis + 1, next, first, size / space.getNumValues(axis));
  }
}

SpaceCount LossCounter::getSteps() const {
  SpaceCount result;
  uint64_t left = space.rawSize;
  result.steps.push_back({"raw", left});
  for (size_t i = 0; i != restrictions.size(); ++i) {
    left -= lost[i];
    result.steps.push_back({restrictions[i].getName().str(), left});
  }
  for (size_t i = 0; i != rules.size(); ++i) {
    uint64_t count = lost[restrictions.size() + i];
    left -= count;
    if (count)
      result.steps.push_back({rules[i].str(), left});
  }
  result.steps.push_back({"legal", left});
  return result;
}

} // namespace

SpaceCount countLegal(const BoundSpace &space,
                      ArrayRef<BoundRestriction> restrictions) {
  return LossCounter(space, restrictions).getSteps();
}

} // namespace tcgemm
