//===- SearchSpace.cpp - A space for a problem and a chip ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space/SearchSpaceImpl.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

BoundSymbol SearchSpace::Implementation::bindSymbol(StringRef name) const {
  BoundSymbol symbol;
  symbol.name = name.str();
  StringRef key = getSymbolKey(name);
  std::optional<ParameterName> parameter = parseParameterName(name);
  for (unsigned axis = names.size(); axis != space.getAxes().size(); ++axis) {
    if (space.getAxes()[axis].name != name)
      continue;
    symbol.kind = BoundSymbol::Axis;
    symbol.axis = axis;
    for (const std::string &value : space.getAxes()[axis].values)
      symbol.values.push_back(std::stoll(value));
    return symbol;
  }
  // The axis that decides it alone.
  for (auto [axis, axisName] : enumerate(names)) {
    if (!parameter || axisName.key != parameter->key)
      continue;
    if (axisName.part && axisName.part != parameter->part)
      continue;
    symbol.kind = BoundSymbol::Axis;
    symbol.axis = axis;
    for (unsigned i = 0; i != space.getAxes()[axis].values.size(); ++i) {
      KernelConfig config = space.getBase();
      setAxis(config, axis, i);
      // Names were checked when the space was read.
      symbol.values.push_back(
          getSpaceSymbol(name, config, *chip, info).value_or(0));
    }
    return symbol;
  }
  bool isDerived = any_of(
      derived, [&](const ParameterName &other) { return other.key == key; });
  if (key == "*" || key == "instruction" || isDerived) {
    symbol.kind = BoundSymbol::Configuration;
    return symbol;
  }
  symbol.values.push_back(
      getSpaceSymbol(name, space.getBase(), *chip, info).value_or(0));
  return symbol;
}

void SearchSpace::Implementation::bind(const Restriction &restriction) {
  BoundRestriction bound;
  bound.declared = &restriction;
  for (const std::string &name : collectSymbols(restriction.condition)) {
    BoundSymbol symbol = bindSymbol(name);
    unsigned needs = 0;
    if (symbol.kind == BoundSymbol::Axis)
      needs = symbol.axis + 1;
    else if (symbol.kind == BoundSymbol::Configuration)
      needs = space.getAxes().size();
    bound.depth = std::max(bound.depth, needs);
    bound.symbols.push_back(std::move(symbol));
  }
  restrictions.push_back(std::move(bound));
}

/// An expression that cannot be evaluated (a division by zero) does not hold.
bool SearchSpace::Implementation::holds(const BoundRestriction &restriction,
                                        const SpacePoint &point,
                                        const KernelConfig &config) const {
  Expected<int64_t> value = restriction.declared->condition.evaluate(
      [&](StringRef name) -> std::optional<int64_t> {
        for (const BoundSymbol &symbol : restriction.symbols) {
          if (symbol.name != name)
            continue;
          if (symbol.kind == BoundSymbol::Configuration)
            return getSpaceSymbol(name, config, *chip, info);
          return symbol
              .values[symbol.kind == BoundSymbol::Axis ? point[symbol.axis]
                                                       : 0];
        }
        return std::nullopt;
      });
  if (value)
    return *value != 0;
  consumeError(value.takeError());
  return false;
}

/// `128 * 256 <= 16384 does not hold` with the names' values.
std::string
SearchSpace::Implementation::describe(const BoundRestriction &restriction,
                                      const KernelConfig &config,
                                      const SpacePoint &point) const {
  SmallVector<std::string> values;
  auto lookup = [&](StringRef name) { return getSymbol(name, config, point); };
  for (const BoundSymbol &symbol : restriction.symbols) {
    if (isSpaceKeyword(symbol.name))
      continue;
    std::optional<ParameterName> parameter = parseParameterName(symbol.name);
    bool isWhole =
        parameter && !parameter->part && !isDerivedSymbol(symbol.name);
    values.push_back(symbol.name + " = " +
                     (isWhole
                          ? config.get(symbol.name)
                          : std::to_string(lookup(symbol.name).value_or(0))));
  }
  const Expr &condition = restriction.declared->condition;
  Expected<int64_t> result = condition.evaluate(lookup);
  std::string text = condition.str() + " must hold, but " +
                     (values.empty() ? "it is 0" : join(values, ", "));
  return result ? text : text + " (" + toString(result.takeError()) + ")";
}

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

const Space &SearchSpace::getSpace() const { return implementation->space; }
const ChipInfo &SearchSpace::getChip() const { return *implementation->chip; }
const TuningProblem &SearchSpace::getProblem() const {
  return implementation->problem;
}
unsigned SearchSpace::getNumAxes() const {
  return implementation->space.getAxes().size();
}
unsigned SearchSpace::getNumValues(unsigned axis) const {
  return implementation->space.getAxes()[axis].values.size();
}
uint64_t SearchSpace::getRawSize() const { return implementation->rawSize; }

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
  KernelConfig config = implementation->space.getBase();
  for (unsigned axis = 0; axis != getNumAxes(); ++axis)
    implementation->setAxis(config, axis, point[axis]);
  implementation->complete(config, point);
  return config;
}

/// The value of an axis that sets what `config` has.
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
  if (axis >= implementation->names.size()) { // A variable.
    auto same = llvm::find(values, text);
    if (same == values.end())
      return std::nullopt;
    return static_cast<unsigned>(same - values.begin());
  }
  KernelConfig config = getSpace().getBase();
  const ParameterName &name = implementation->names[axis];
  if (Error error = setParameter(config, name, text)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  return findAxisValue(getSpace().getAxes()[axis], name, config);
}

std::optional<SpacePoint> SearchSpace::find(const KernelConfig &config) const {
  SpacePoint point;
  for (auto [axis, name] :
       zip_equal(getSpace().getParameters(), implementation->names)) {
    std::optional<unsigned> value = findAxisValue(axis, name, config);
    if (!value)
      return std::nullopt;
    point.push_back(*value);
  }
  if (!implementation->findVariables(config, point) ||
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
    if (!impl.holds(restriction, point, config))
      return false;
  return findViolations(config, *impl.chip, impl.info).empty();
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
  for (auto [axis, name] : zip_equal(getSpace().getParameters(), impl.names))
    if (!findAxisValue(axis, name, config))
      found.push_back(
          {"space", formatv("{0} = {1}, but space {2} has {3} of {4}", name.key,
                            config.get(name.key), getSpace().getName(),
                            axis.name, join(axis.values, ", "))});
    else
      cantFail(setParameter(inside, name, axis.values[0]));
  SpacePoint point(impl.names.size());
  bool hasVariables = impl.findVariables(config, point);
  if (!hasVariables)
    found.push_back({"space", impl.describeDerived(config)});
  // What no axis sets is fixed.
  KernelConfig fixed = getConfig(SpacePoint(getNumAxes(), 0));
  for (const ParameterName &name : impl.derived)
    cantFail(setParameter(inside, name, getParameter(fixed, name)));
  for (StringRef key : KernelConfig::keys()) {
    bool isAxis = any_of(impl.names, [&](const ParameterName &name) {
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
    // Without the values of its variables there is nothing to say of it.
    if (!hasVariables && impl.asksForVariables(restriction))
      continue;
    Expected<int64_t> value = restriction.declared->condition.evaluate(
        [&](StringRef name) { return impl.getSymbol(name, config, point); });
    bool holds = value && *value != 0;
    consumeError(value.takeError());
    if (!holds)
      found.push_back({restriction.declared->name,
                       impl.describe(restriction, config, point)});
  }
  for (const Violation &violation :
       findViolations(config, *impl.chip, impl.info))
    found.push_back({violation.rule.str(), violation.message});
  return found;
}

} // namespace tcgemm
