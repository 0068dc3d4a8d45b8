//===- BoundRestriction.h - A restriction of a space ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_BOUNDRESTRICTION_H
#define TCGEMM_LIB_TUNER_SPACE_BOUNDRESTRICTION_H

#include "Space/BoundSpace.h"

namespace tcgemm {

/// A restriction for a problem and a chip, whose names are looked up once.
class BoundRestriction {
public:
  /// The space must contain and outlive the restriction.
  BoundRestriction(const BoundSpace &space, const Restriction &declared);

  llvm::StringRef getName() const { return declared->name; }
  /// The number of axes that must be set before the restriction can be
  /// evaluated.
  unsigned getDepth() const { return depth; }
  bool asksForVariables() const;

  /// Returns whether the restriction holds; `config` is the point's
  /// configuration.
  bool holds(const SpacePoint &point, const KernelConfig &config) const;
  /// The same, if only the variables of `point` are known.
  bool holdsFor(const KernelConfig &config, const SpacePoint &point) const;
  /// The message that it does not hold, with the values of its names.
  std::string describe(const KernelConfig &config,
                       const SpacePoint &point) const;

private:
  /// A name, whose value is constant or depends on one axis or on the whole
  /// configuration.
  struct Symbol {
    std::string name;
    enum { Constant, Axis, Configuration } kind = Constant;
    unsigned axis = 0;
    std::vector<int64_t>
        values; ///< One value, or one for each value of the axis.
  };
  static Symbol bindSymbol(const BoundSpace &space, llvm::StringRef name);

  const BoundSpace *space;
  const Restriction *declared;
  std::vector<Symbol> symbols;
  unsigned depth = 0;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_BOUNDRESTRICTION_H
