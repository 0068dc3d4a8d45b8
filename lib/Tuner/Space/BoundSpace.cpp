//===- BoundSpace.cpp - Parameters and derived values ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space/BoundSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

BoundSpace::BoundSpace(const Space &space, const ChipInfo &chip,
                       const TuningProblem &problem)
    : space(space), chip(&chip), problem(problem), info(problem.getInfo()) {
  for (const SpaceAxis &axis : this->space.getParameters())
    names.push_back(*parseParameterName(axis.name));
  for (const DerivedParameter &parameter : this->space.getDerived())
    derived.push_back(*parseParameterName(parameter.name));
  for (const SpaceAxis &axis : this->space.getAxes())
    rawSize *= axis.values.size();
}

std::optional<int64_t> BoundSpace::getVariable(StringRef name,
                                               const SpacePoint &point) const {
  for (size_t axis = names.size(); axis < point.size(); ++axis) {
    const SpaceAxis &variable = space.getAxes()[axis];
    // Values were checked when the space was read.
    if (variable.name == name)
      return std::stoll(variable.values[point[axis]]);
  }
  return std::nullopt;
}

std::optional<int64_t> BoundSpace::getSymbol(StringRef name,
                                             const KernelConfig &config,
                                             const SpacePoint &point) const {
  if (std::optional<int64_t> value = getVariable(name, point))
    return value;
  return getSpaceSymbol(name, config, *chip, info);
}

void BoundSpace::complete(KernelConfig &config, const SpacePoint &point) const {
  for (auto [parameter, name] : zip_equal(space.getDerived(), derived)) {
    Expected<int64_t> value = parameter.value.evaluate(
        [&](StringRef symbol) { return getSymbol(symbol, config, point); });
    bool isValue = value && *value >= 0 && *value <= 1 << 20;
    cantFail(setParameter(config, name, std::to_string(isValue ? *value : 0)));
    consumeError(value.takeError());
  }
  cantFail(config.apply(""));
}

bool BoundSpace::findVariables(const KernelConfig &config,
                               SpacePoint &point) const {
  point.resize(space.getAxes().size());
  auto search = [&](auto &self, size_t axis) -> bool {
    if (axis == point.size()) {
      KernelConfig derivedConfig = config;
      complete(derivedConfig, point);
      return all_of(derived, [&](const ParameterName &name) {
        return getParameter(derivedConfig, name) == getParameter(config, name);
      });
    }
    for (size_t i = 0; i != space.getAxes()[axis].values.size(); ++i) {
      point[axis] = i;
      if (self(self, axis + 1))
        return true;
    }
    return false;
  };
  return search(search, names.size());
}

std::string BoundSpace::describeDerived(const KernelConfig &config) const {
  auto values = map_range(derived, [&](const ParameterName &name) {
    return formatv("{0} = {1}", name.key, config.get(name.key)).str();
  });
  SmallVector<std::string> texts(values.begin(), values.end());
  texts.erase(unique(texts), texts.end());
  auto variables =
      map_range(space.getVariables(), [](const SpaceAxis &variable) {
        return variable.name + " of " + join(variable.values, ", ");
      });
  return formatv("{0}, which space {1} derives from no {2}", join(texts, ", "),
                 space.getName(), join(variables, " and "));
}

} // namespace tcgemm
