//===- SearchSpace.cpp - A space for a problem and a chip ----------------===//
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

#include "SpaceSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// A name of a restriction: a constant, or decided by one axis, or by all of
/// the configuration.
struct BoundSymbol {
  std::string name;
  enum { Constant, Axis, Configuration } kind = Constant;
  unsigned axis = 0;
  std::vector<int64_t> values; ///< One, or one for each value of the axis.
};

struct BoundRestriction {
  const Restriction *declared;
  std::vector<BoundSymbol> symbols;
  /// How many axes must be set before it can be evaluated.
  unsigned depth = 0;
};

} // namespace

struct SearchSpace::Implementation {
  Space space;
  const ChipInfo *chip;
  TuningProblem problem;
  ProblemInfo info;
  std::vector<ParameterName> names; ///< Of the axes.
  std::vector<BoundRestriction> restrictions;
  uint64_t rawSize = 1;
  mutable std::optional<std::vector<uint64_t>> legal;

  Implementation(const Space &space, const ChipInfo &chip,
                 const TuningProblem &problem)
      : space(space), chip(&chip), problem(problem), info(problem.getInfo()) {
    for (const SpaceAxis &axis : this->space.getAxes()) {
      names.push_back(*parseParameterName(axis.name));
      rawSize *= axis.values.size();
    }
    for (const Restriction &restriction : this->space.getRestrictions())
      bind(restriction);
  }

  /// Values were checked when the space was read.
  void setAxis(KernelConfig &config, unsigned axis, unsigned value) const {
    cantFail(
        setParameter(config, names[axis], space.getAxes()[axis].values[value]));
  }
  /// What follows from the other parameters.
  static void complete(KernelConfig &config) { cantFail(config.apply("")); }

  void bind(const Restriction &restriction);
  BoundSymbol bindSymbol(StringRef name) const;
  bool holds(const BoundRestriction &restriction, const SpacePoint &point,
             const KernelConfig &config) const;
  std::string describe(const BoundRestriction &restriction,
                       const KernelConfig &config) const;
};

BoundSymbol SearchSpace::Implementation::bindSymbol(StringRef name) const {
  BoundSymbol symbol;
  symbol.name = name.str();
  StringRef key = getSymbolKey(name);
  std::optional<ParameterName> parameter = parseParameterName(name);
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
      symbol.values.push_back(*getSpaceSymbol(name, config, *chip, info));
    }
    return symbol;
  }
  if (key == "*" || key == "instruction") {
    symbol.kind = BoundSymbol::Configuration;
    return symbol;
  }
  symbol.values.push_back(*getSpaceSymbol(name, space.getBase(), *chip, info));
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
      needs = names.size();
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
                                      const KernelConfig &config) const {
  SmallVector<std::string> values;
  auto lookup = [&](StringRef name) {
    return getSpaceSymbol(name, config, *chip, info);
  };
  for (const BoundSymbol &symbol : restriction.symbols) {
    std::optional<int64_t> value = lookup(symbol.name);
    std::optional<ParameterName> parameter = parseParameterName(symbol.name);
    if (parameter && !parameter->part)
      values.push_back(symbol.name + " = " + config.get(parameter->key));
    else if (value && getSymbolKey(symbol.name) != "")
      values.push_back(symbol.name + " = " + std::to_string(*value));
    else if (value && StringRef(symbol.name).upper() == symbol.name)
      values.push_back(symbol.name + " = " + std::to_string(*value));
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

const Space &SearchSpace::getSpace() const { return implementation->space; }
const ChipInfo &SearchSpace::getChip() const { return *implementation->chip; }
const TuningProblem &SearchSpace::getProblem() const {
  return implementation->problem;
}
unsigned SearchSpace::getNumAxes() const {
  return implementation->names.size();
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
  Implementation::complete(config);
  return config;
}

/// The value of an axis that sets what `config` has.
static std::optional<unsigned> findValue(const SpaceAxis &axis,
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

std::optional<SpacePoint> SearchSpace::find(const KernelConfig &config) const {
  SpacePoint point;
  for (auto [axis, name] :
       zip_equal(getSpace().getAxes(), implementation->names)) {
    std::optional<unsigned> value = findValue(axis, name, config);
    if (!value)
      return std::nullopt;
    point.push_back(*value);
  }
  if (!(getConfig(point) == config))
    return std::nullopt;
  return point;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

bool SearchSpace::isLegal(const SpacePoint &point) const {
  const Implementation &impl = *implementation;
  KernelConfig config = getConfig(point);
  for (const BoundRestriction &restriction : impl.restrictions)
    if (!impl.holds(restriction, point, config))
      return false;
  return findViolations(config, *impl.chip, impl.info).empty();
}

std::vector<SpaceViolation>
SearchSpace::explain(const KernelConfig &config) const {
  const Implementation &impl = *implementation;
  std::vector<SpaceViolation> found;
  KernelConfig inside = config;
  for (auto [axis, name] : zip_equal(getSpace().getAxes(), impl.names))
    if (!findValue(axis, name, config))
      found.push_back(
          {"space", formatv("{0} = {1}, but space {2} has {3} of {4}", name.key,
                            config.get(name.key), getSpace().getName(),
                            axis.name, join(axis.values, ", "))});
    else
      cantFail(setParameter(inside, name, axis.values[0]));
  // What no axis sets is fixed.
  KernelConfig fixed = getConfig(SpacePoint(getNumAxes(), 0));
  for (StringRef key : KernelConfig::keys()) {
    bool isAxis = any_of(impl.names, [&](const ParameterName &name) {
      return name.key == key && !name.part;
    });
    bool isDerived = key == "instruction" && config.schedule == Schedule::Wgmma;
    if (!isAxis && !isDerived && inside.get(key) != fixed.get(key))
      found.push_back({"space", formatv("{0} = {1}, but in space {2} it is {3}",
                                        key, config.get(key),
                                        getSpace().getName(), fixed.get(key))});
  }
  for (const BoundRestriction &restriction : impl.restrictions) {
    Expected<int64_t> value =
        restriction.declared->condition.evaluate([&](StringRef name) {
          return getSpaceSymbol(name, config, *impl.chip, impl.info);
        });
    bool holds = value && *value != 0;
    consumeError(value.takeError());
    if (!holds)
      found.push_back(
          {restriction.declared->name, impl.describe(restriction, config)});
  }
  for (const Violation &violation :
       findViolations(config, *impl.chip, impl.info))
    found.push_back({violation.rule.str(), violation.message});
  return found;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

void SearchSpace::forEachLegal(
    function_ref<bool(const SpacePoint &)> visit) const {
  const Implementation &impl = *implementation;
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
      Implementation::complete(complete);
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
      Implementation::complete(complete);
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
