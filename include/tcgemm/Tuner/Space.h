//===- Space.h - Sets of configurations to search ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space is the product of its axes' values without the configurations that
// its restrictions and legality exclude. It is declared as text
// (docs/guide/spaces.md). Its points are coordinates along the axes, so that
// strategies are independent of the parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_SPACE_H
#define TCGEMM_TUNER_SPACE_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/Expr.h"

#include <memory>

namespace tcgemm {

/// An axis with its values as text. It is a variable or a parameter: a key of
/// KernelConfig, or one of its three parts (`cta.m`).
struct SpaceAxis {
  std::string name;
  std::vector<std::string> values;
};

/// A parameter, or a part of one, with one value as text.
struct ParameterValue {
  std::string name, value;
};

/// An integer parameter that is computed from others. A value that cannot be
/// evaluated, or that the parameter does not accept, counts as 0.
struct DerivedParameter {
  std::string name;
  Expr value;
};

/// A condition that configurations must satisfy, in the manifest's expression
/// language (docs/guide/spaces.md lists the names).
struct Restriction {
  std::string name;
  Expr condition;
};

struct SpaceDeclaration;

/// A declared space, for any problem and chip.
class Space {
public:
  /// Reads YAML, or JSON, which is a subset. Errors name the place: an unknown
  /// parameter or value, an invalid expression, an axis without values or in
  /// conflict with another.
  static llvm::Expected<Space> parse(llvm::StringRef text,
                                     llvm::StringRef fileName);
  static llvm::Expected<Space> read(llvm::StringRef path);

  const std::string &getName() const { return name; }
  const std::string &getDescription() const { return description; }
  /// The parameters, followed by the variables: integers that only derived
  /// parameters and restrictions use.
  llvm::ArrayRef<SpaceAxis> getAxes() const { return axes; }
  llvm::ArrayRef<SpaceAxis> getParameters() const {
    return getAxes().drop_back(numVariables);
  }
  llvm::ArrayRef<SpaceAxis> getVariables() const {
    return getAxes().take_back(numVariables);
  }
  llvm::ArrayRef<DerivedParameter> getDerived() const { return derived; }
  llvm::ArrayRef<Restriction> getRestrictions() const { return restrictions; }
  /// The fixed parameters applied to the defaults.
  const KernelConfig &getBase() const { return base; }
  /// Chips for which the space is meant; empty: any.
  llvm::ArrayRef<std::string> getChips() const { return chips; }

private:
  llvm::Error declareAxes(SpaceDeclaration &declaration);

  std::string name, description;
  std::vector<std::string> chips;
  KernelConfig base;
  std::vector<SpaceAxis> axes;
  size_t numVariables = 0;
  std::vector<DerivedParameter> derived;
  std::vector<Restriction> restrictions;
};

/// A space from a file, or a shipped space by name: `wgmma-quick`.
llvm::Expected<Space> readSpace(llvm::StringRef name);

/// The shipped spaces that are searched for such products on `chip` by default.
std::vector<std::string> getDefaultSpaces(const ChipInfo &chip,
                                          const MatmulKind &kind);

/// A configuration as coordinates: the index of a value for each axis.
using SpacePoint = llvm::SmallVector<uint16_t, 16>;

/// The number of configurations that remain after each rule, in order.
struct SpaceCount {
  struct Step {
    /// `raw`, a restriction's name, or a rule's name of Legality.h.
    std::string name;
    uint64_t count;
  };
  std::vector<Step> steps;
};

/// A broken restriction or rule.
struct SpaceViolation {
  std::string rule, message;
};

/// A space for one problem on one chip. Restrictions may use M, N, K and batch,
/// and legality depends on them. The chip must outlive the space. Cheap to
/// copy.
class SearchSpace {
public:
  /// Errors: the space is not meant for the chip.
  static llvm::Expected<SearchSpace> create(const Space &space,
                                            const ChipInfo &chip,
                                            const TuningProblem &problem);

  /// The same space restricted to its legal points that are in `configs`, for
  /// stored sweeps. `count` and `explain` ignore the restriction.
  SearchSpace restrictTo(llvm::ArrayRef<KernelConfig> configs) const;

  const Space &getSpace() const;
  const ChipInfo &getChip() const;
  const TuningProblem &getProblem() const;

  unsigned getNumAxes() const;
  /// The number of values along axis `axis`.
  unsigned getNumValues(unsigned axis) const;
  /// The index of the value `text` along `axis`.
  std::optional<unsigned> findValue(unsigned axis, llvm::StringRef text) const;
  /// The product of the axes' sizes.
  uint64_t getRawSize() const;
  /// The point of an index in mixed radix; the last axis varies fastest.
  SpacePoint getPoint(uint64_t index) const;
  uint64_t getIndex(const SpacePoint &point) const;

  KernelConfig getConfig(const SpacePoint &point) const;
  /// The point of a configuration, if the product of the axes contains it.
  std::optional<SpacePoint> find(const KernelConfig &config) const;

  /// Returns whether restrictions and legality allow it.
  bool isLegal(const SpacePoint &point) const;
  /// The point of a configuration, if it is legal.
  std::optional<SpacePoint> findLegal(const KernelConfig &config) const;
  /// The reasons why `config` is not in the space: parameters with a value that
  /// their axis lacks, restrictions with the values of their names, and broken
  /// rules of Legality.h.
  std::vector<SpaceViolation> explain(const KernelConfig &config) const;

  /// Calls `visit` with every legal point in the order of their indices, until
  /// it returns false. Nothing is stored. The walk skips excluded points as
  /// soon as the axes of the restriction are set.
  void forEachLegal(llvm::function_ref<bool(const SpacePoint &)> visit) const;
  /// The indices of all legal points. They are computed once and shared by all
  /// copies. Not thread-safe.
  llvm::ArrayRef<uint64_t> getLegal() const;
  SpaceCount count() const;

private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_SPACE_H
