//===- BoundRestriction.cpp - A restriction of a space --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space/BoundRestriction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

BoundRestriction::Symbol BoundRestriction::bindSymbol(const BoundSpace &bound,
                                                      StringRef name) {
  const Space &space = bound.space;
  Symbol symbol;
  symbol.name = name.str();
  StringRef key = getSymbolKey(name);
  std::optional<ParameterName> parameter = parseParameterName(name);
  for (unsigned axis = bound.names.size(); axis != space.getAxes().size();
       ++axis) {
    if (space.getAxes()[axis].name != name)
      continue;
    symbol.kind = Symbol::Axis;
    symbol.axis = axis;
    for (const std::string &value : space.getAxes()[axis].values)
      symbol.values.push_back(std::stoll(value));
    return symbol;
  }
  // The only axis that determines the value.
  for (auto [axis, axisName] : enumerate(bound.names)) {
    if (!parameter || axisName.key != parameter->key)
      continue;
    if (axisName.part && axisName.part != parameter->part)
      continue;
    symbol.kind = Symbol::Axis;
    symbol.axis = axis;
    for (unsigned i = 0; i != space.getAxes()[axis].values.size(); ++i) {
      KernelConfig config = space.getBase();
      bound.setAxis(config, axis, i);
      // Names were checked when the space was read.
      symbol.values.push_back(
          getSpaceSymbol(name, config, *bound.chip, bound.info).value_or(0));
    }
    return symbol;
  }
  bool isDerived = any_of(bound.derived, [&](const ParameterName &other) {
    return other.key == key;
  });
  if (key == "*" || key == "instruction" || isDerived) {
    symbol.kind = Symbol::Configuration;
    return symbol;
  }
  symbol.values.push_back(
      getSpaceSymbol(name, space.getBase(), *bound.chip, bound.info)
          .value_or(0));
  return symbol;
}

BoundRestriction::BoundRestriction(const BoundSpace &space,
                                   const Restriction &declared)
    : space(&space), declared(&declared) {
  for (const std::string &name : collectSymbols(declared.condition)) {
    Symbol symbol = bindSymbol(space, name);
    unsigned needs = 0;
    if (symbol.kind == Symbol::Axis)
      needs = symbol.axis + 1;
    else if (symbol.kind == Symbol::Configuration)
      needs = space.getNumAxes();
    depth = std::max(depth, needs);
    symbols.push_back(std::move(symbol));
  }
}

bool BoundRestriction::asksForVariables() const {
  return any_of(symbols, [&](const Symbol &symbol) {
    return symbol.kind == Symbol::Axis && space->isVariable(symbol.axis);
  });
}

/// An expression that cannot be evaluated (a division by zero) does not hold.
static bool isTrue(Expected<int64_t> value) {
  if (value)
    return *value != 0;
  consumeError(value.takeError());
  return false;
}

bool BoundRestriction::holds(const SpacePoint &point,
                             const KernelConfig &config) const {
  return isTrue(declared->condition.evaluate(
      [&](StringRef name) -> std::optional<int64_t> {
        for (const Symbol &symbol : symbols) {
          if (symbol.name != name)
            continue;
          if (symbol.kind == Symbol::Configuration)
            return getSpaceSymbol(name, config, *space->chip, space->info);
          return symbol
              .values[symbol.kind == Symbol::Axis ? point[symbol.axis] : 0];
        }
        return std::nullopt;
      }));
}

bool BoundRestriction::holdsFor(const KernelConfig &config,
                                const SpacePoint &point) const {
  return isTrue(declared->condition.evaluate(
      [&](StringRef name) { return space->getSymbol(name, config, point); }));
}

std::string BoundRestriction::describe(const KernelConfig &config,
                                       const SpacePoint &point) const {
  SmallVector<std::string> values;
  auto lookup = [&](StringRef name) {
    return space->getSymbol(name, config, point);
  };
  for (const Symbol &symbol : symbols) {
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
  const Expr &condition = declared->condition;
  Expected<int64_t> result = condition.evaluate(lookup);
  std::string text = condition.str() + " must hold, but " +
                     (values.empty() ? "it is 0" : join(values, ", "));
  return result ? text : text + " (" + toString(result.takeError()) + ")";
}

} // namespace tcgemm
