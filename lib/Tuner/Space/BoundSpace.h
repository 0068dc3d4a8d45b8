//===- BoundSpace.h - Parameters and derived values -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_BOUNDSPACE_H
#define TCGEMM_LIB_TUNER_SPACE_BOUNDSPACE_H

#include "Space/SpaceSymbols.h"

namespace tcgemm {

/// A space with the problem and the chip to which its names refer.
struct BoundSpace {
  Space space;
  const ChipInfo *chip;
  TuningProblem problem;
  ProblemInfo info;
  std::vector<ParameterName> names;   ///< One for each axis of a parameter.
  std::vector<ParameterName> derived; ///< One for each derived parameter.
  uint64_t rawSize = 1;

  BoundSpace(const Space &space, const ChipInfo &chip,
             const TuningProblem &problem);

  unsigned getNumAxes() const { return space.getAxes().size(); }
  unsigned getNumValues(unsigned axis) const {
    return space.getAxes()[axis].values.size();
  }
  /// Returns whether the axis is that of a variable.
  bool isVariable(unsigned axis) const { return axis >= names.size(); }

  /// Values were checked when the space was read.
  void setAxis(KernelConfig &config, unsigned axis, unsigned value) const {
    if (!isVariable(axis))
      llvm::cantFail(setParameter(config, names[axis],
                                  space.getAxes()[axis].values[value]));
  }
  /// Sets the derived parameters from the other parameters and the point's
  /// variables.
  void complete(KernelConfig &config, const SpacePoint &point) const;
  /// A symbol's value for a point and its configuration.
  std::optional<int64_t> getSymbol(llvm::StringRef name,
                                   const KernelConfig &config,
                                   const SpacePoint &point) const;
  /// Sets the variables of `point` to the first values from which the derived
  /// parameters of `config` follow; false if there are none.
  bool findVariables(const KernelConfig &config, SpacePoint &point) const;
  /// The message that the derived parameters of `config` follow from no values
  /// of the variables.
  std::string describeDerived(const KernelConfig &config) const;

private:
  /// The value of variable `name` at `point`, if it is one.
  std::optional<int64_t> getVariable(llvm::StringRef name,
                                     const SpacePoint &point) const;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_BOUNDSPACE_H
