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

/// A restriction whose names are looked up once, for a problem and a chip.
class BoundRestriction {
public:
  /// The space must outlive the restriction and have it.
  BoundRestriction(const BoundSpace &space, const Restriction &declared);

  llvm::StringRef getName() const { return declared->name; }
  /// How many axes must be set before it can be evaluated.
  unsigned getDepth() const { return depth; }
  bool asksForVariables() const;

  /// Whether it holds; `config` is the point's.
  bool holds(const SpacePoint &point, const KernelConfig &config) const;
  /// The same, where only the variables of `point` are known.
  bool holdsFor(const KernelConfig &config, const SpacePoint &point) const;
  /// The message that it does not hold, with the values of its names.
  std::string describe(const KernelConfig &config,
                       const SpacePoint &point) const;

private:
  /// A name: a constant, or decided by one axis, or by all of the
  /// configuration.
  struct Symbol {
    std::string name;
    enum { Constant, Axis, Configuration } kind = Constant;
    unsigned axis = 0;
    std::vector<int64_t> values; ///< One, or one for each value of the axis.
  };
  static Symbol bindSymbol(const BoundSpace &space, llvm::StringRef name);

  const BoundSpace *space;
  const Restriction *declared;
  std::vector<Symbol> symbols;
  unsigned depth = 0;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_BOUNDRESTRICTION_H
