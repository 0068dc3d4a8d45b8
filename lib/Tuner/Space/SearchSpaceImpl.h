//===- SearchSpaceImpl.h - A space for a problem and a chip -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What its points (SearchSpace.cpp) and its walks (SearchSpaceWalks.cpp) share.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_SEARCHSPACEIMPL_H
#define TCGEMM_LIB_TUNER_SPACE_SEARCHSPACEIMPL_H

#include "Space/SpaceSymbols.h"

namespace tcgemm {

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

struct SearchSpace::Implementation {
  Space space;
  const ChipInfo *chip;
  TuningProblem problem;
  ProblemInfo info;
  std::vector<ParameterName> names;   ///< Of the axes that are parameters.
  std::vector<ParameterName> derived; ///< The names of those.
  std::vector<BoundRestriction> restrictions;
  uint64_t rawSize = 1;
  mutable std::optional<std::vector<uint64_t>> legal;
  /// Whether `legal` is less than what restrictions and legality allow.
  bool isRestricted = false;

  Implementation(const Space &space, const ChipInfo &chip,
                 const TuningProblem &problem)
      : space(space), chip(&chip), problem(problem), info(problem.getInfo()) {
    for (const SpaceAxis &axis : this->space.getParameters())
      names.push_back(*parseParameterName(axis.name));
    for (const DerivedParameter &parameter : this->space.getDerived())
      derived.push_back(*parseParameterName(parameter.name));
    for (const SpaceAxis &axis : this->space.getAxes())
      rawSize *= axis.values.size();
    for (const Restriction &restriction : this->space.getRestrictions())
      bind(restriction);
  }

  /// Values were checked when the space was read.
  void setAxis(KernelConfig &config, unsigned axis, unsigned value) const {
    if (axis < names.size())
      llvm::cantFail(setParameter(config, names[axis],
                                  space.getAxes()[axis].values[value]));
  }
  /// Sets what follows from the other parameters and the point's variables.
  void complete(KernelConfig &config, const SpacePoint &point) const;
  /// The value of variable `name` at `point`, if it is one.
  std::optional<int64_t> getVariable(llvm::StringRef name,
                                     const SpacePoint &point) const;
  /// A symbol's value for a point and its configuration.
  std::optional<int64_t> getSymbol(llvm::StringRef name,
                                   const KernelConfig &config,
                                   const SpacePoint &point) const;
  /// Gives `point` the first values of the variables that derive what `config`
  /// has; false if there are none.
  bool findVariables(const KernelConfig &config, SpacePoint &point) const;
  /// That no values of the variables derive what `config` has.
  std::string describeDerived(const KernelConfig &config) const;
  bool asksForVariables(const BoundRestriction &restriction) const;

  void bind(const Restriction &restriction);
  BoundSymbol bindSymbol(llvm::StringRef name) const;
  bool holds(const BoundRestriction &restriction, const SpacePoint &point,
             const KernelConfig &config) const;
  std::string describe(const BoundRestriction &restriction,
                       const KernelConfig &config,
                       const SpacePoint &point) const;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_SEARCHSPACEIMPL_H
