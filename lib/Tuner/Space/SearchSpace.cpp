//===- SearchSpace.cpp - A space for a problem and a chip -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space/SpaceWalks.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

struct SearchSpace::Implementation {
  Implementation(const Space &space, const ChipInfo &chip,
                 const TuningProblem &problem)
      : bound(space, chip, problem) {
    for (const Restriction &restriction : bound.space.getRestrictions())
      restrictions.emplace_back(bound, restriction);
  }
  // Restrictions refer to `bound`.
  Implementation(const Implementation &) = delete;
  Implementation &operator=(const Implementation &) = delete;

  BoundSpace bound;
  std::vector<BoundRestriction> restrictions;
  mutable std::optional<std::vector<uint64_t>> legal;
  /// True if `legal` is a subset of the points that restrictions and legality
  /// allow.
  bool isRestricted = false;
};

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Expected<SearchSpace> SearchSpace::create(const Space &space,
                                          const ChipInfo &chip,
                                          const TuningProblem &problem) {
  if (!space.getChips().empty() && !is_contained(space.getChips(), chip.name))
    return createStringError("space '" + space.getName() + "' is for " +
                             join(space.getChips(), ", ") + ", not for " +
                             chip.name);
  SearchSpace result;
  result.implementation =
      std::make_shared<const Implementation>(space, chip, problem);
  return result;
}

SearchSpace SearchSpace::restrictTo(ArrayRef<KernelConfig> configs) const {
  std::vector<uint64_t> kept;
  for (const KernelConfig &config : configs)
    if (std::optional<SpacePoint> point = findLegal(config))
      kept.push_back(getIndex(*point));
  llvm::sort(kept);
  kept.erase(llvm::unique(kept), kept.end());
  auto restricted =
      std::make_shared<Implementation>(getSpace(), getChip(), getProblem());
  restricted->legal = std::move(kept);
  restricted->isRestricted = true;
  SearchSpace result;
  result.implementation = std::move(restricted);
  return result;
}

const Space &SearchSpace::getSpace() const {
  return implementation->bound.space;
}
const ChipInfo &SearchSpace::getChip() const {
  return *implementation->bound.chip;
}
const TuningProblem &SearchSpace::getProblem() const {
  return implementation->bound.problem;
}
unsigned SearchSpace::getNumAxes() const {
  return implementation->bound.getNumAxes();
}
unsigned SearchSpace::getNumValues(unsigned axis) const {
  return implementation->bound.getNumValues(axis);
}
uint64_t SearchSpace::getRawSize() const {
  return implementation->bound.rawSize;
}

SpacePoint SearchSpace::getPoint(uint64_t index) const {
  SpacePoint point(getNumAxes());
  for (unsigned axis = getNumAxes(); axis-- != 0;) {
    point[axis] = index % getNumValues(axis);
    index /= getNumValues(axis);
  }
  return point;
}

uint64_t SearchSpace::getIndex(const SpacePoint &point) const {
  uint64_t index = 0;
  for (unsigned axis = 0; axis != getNumAxes(); ++axis)
    index = index * getNumValues(axis) + point[axis];
  return index;
}

KernelConfig SearchSpace::getConfig(const SpacePoint &point) const {
  KernelConfig config = implementation->bound.space.getBase();
  for (unsigned axis = 0; axis != getNumAxes(); ++axis)
    implementation->bound.setAxis(config, axis, point[axis]);
  implementation->bound.complete(config, point);
  return config;
}

/// The value of an axis that equals the parameter in `config`.
static std::optional<unsigned> findAxisValue(const SpaceAxis &axis,
                                             const ParameterName &name,
                                             const KernelConfig &config) {
  for (auto [i, value] : enumerate(axis.values)) {
    KernelConfig changed = config;
    cantFail(setParameter(changed, name, value));
    if (changed.get(name.key) == config.get(name.key))
      return i;
  }
  return std::nullopt;
}

std::optional<unsigned> SearchSpace::findValue(unsigned axis,
                                               StringRef text) const {
  ArrayRef<std::string> values = getSpace().getAxes()[axis].values;
  if (implementation->bound.isVariable(axis)) { // A variable.
    auto same = llvm::find(values, text);
    if (same == values.end())
      return std::nullopt;
    return static_cast<unsigned>(same - values.begin());
  }
  KernelConfig config = getSpace().getBase();
  const ParameterName &name = implementation->bound.names[axis];
  if (Error error = setParameter(config, name, text)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  return findAxisValue(getSpace().getAxes()[axis], name, config);
}

std::optional<SpacePoint> SearchSpace::find(const KernelConfig &config) const {
  SpacePoint point;
  for (auto [axis, name] :
       zip_equal(getSpace().getParameters(), implementation->bound.names)) {
    std::optional<unsigned> value = findAxisValue(axis, name, config);
    if (!value)
      return std::nullopt;
    point.push_back(*value);
  }
  if (!implementation->bound.findVariables(config, point) ||
      !(getConfig(point) == config))
    return std::nullopt;
  return point;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

bool SearchSpace::isLegal(const SpacePoint &point) const {
  const Implementation &impl = *implementation;
  if (impl.isRestricted)
    return llvm::binary_search(*impl.legal, getIndex(point));
  KernelConfig config = getConfig(point);
  for (const BoundRestriction &restriction : impl.restrictions)
    if (!restriction.holds(point, config))
      return false;
  return tcgemm::isLegal(config, *impl.bound.chip, impl.bound.info);
}

std::optional<SpacePoint>
SearchSpace::findLegal(const KernelConfig &config) const {
  std::optional<SpacePoint> point = find(config);
  return point && isLegal(*point) ? point : std::nullopt;
}

std::vector<SpaceViolation>
SearchSpace::explain(const KernelConfig &config) const {
  const Implementation &impl = *implementation;
  std::vector<SpaceViolation> found;
  KernelConfig inside = config;
  for (auto [axis, name] :
       zip_equal(getSpace().getParameters(), impl.bound.names))
    if (!findAxisValue(axis, name, config))
      found.push_back(
          {"space", formatv("{0} = {1}, but space {2} has {3} of {4}", name.key,
                            config.get(name.key), getSpace().getName(),
                            axis.name, join(axis.values, ", "))});
    else
      cantFail(setParameter(inside, name, axis.values[0]));
  SpacePoint point(impl.bound.names.size());
  bool hasVariables = impl.bound.findVariables(config, point);
  if (!hasVariables)
    found.push_back({"space", impl.bound.describeDerived(config)});
  // Parameters without an axis are fixed.
  KernelConfig fixed = getConfig(SpacePoint(getNumAxes(), 0));
  for (const ParameterName &name : impl.bound.derived)
    cantFail(setParameter(inside, name, getParameter(fixed, name)));
  for (StringRef key : KernelConfig::keys()) {
    bool isAxis = any_of(impl.bound.names, [&](const ParameterName &name) {
      return name.key == key && !name.part;
    });
    bool isDerived =
        key == "instruction" && getFamily(config.schedule).derivesInstruction();
    if (!isAxis && !isDerived && inside.get(key) != fixed.get(key))
      found.push_back({"space", formatv("{0} = {1}, but in space {2} it is {3}",
                                        key, config.get(key),
                                        getSpace().getName(), fixed.get(key))});
  }
  for (const BoundRestriction &restriction : impl.restrictions) {
    // The restriction cannot be evaluated without the values of its variables.
    if (!hasVariables && restriction.asksForVariables())
      continue;
    if (!restriction.holdsFor(config, point))
      found.push_back(
          {restriction.getName().str(), restriction.describe(config, point)});
  }
  for (const Violation &violation :
       findViolations(config, *impl.bound.chip, impl.bound.info))
    found.push_back({violation.rule.str(), violation.message});
  return found;
}

void SearchSpace::forEachLegal(
    function_ref<bool(const SpacePoint &)> visit) const {
  const Implementation &impl = *implementation;
  if (!impl.isRestricted) {
    walkLegal(impl.bound, impl.restrictions, visit);
    return;
  }
  for (uint64_t index : *impl.legal)
    if (!visit(getPoint(index)))
      return;
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
  return countLegal(implementation->bound, implementation->restrictions);
}

} // namespace tcgemm
