//===- Space.h - The configurations to choose from --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space is the product of its axes' values, less what its restrictions and
// legality exclude. It is declared as text (docs/guide/spaces.md); points of it
// are coordinates along the axes, so that strategies need to know no parameter.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_SPACE_H
#define TCGEMM_TUNER_SPACE_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/Expr.h"

#include <memory>

namespace tcgemm {

/// One parameter with its values as text: a key of KernelConfig, or a part of
/// one that has three: `cta.m`. Or a variable.
struct SpaceAxis {
  std::string name;
  std::vector<std::string> values;
};

/// A parameter, or a part of one, with one value as text.
struct ParameterValue {
  std::string name, value;
};

/// A parameter, an integer, that others decide. A value that cannot be
/// evaluated, or is no parameter's, counts as 0.
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
  /// parameter or value, an expression that does not parse, an axis without
  /// values or in conflict with another.
  static llvm::Expected<Space> parse(llvm::StringRef text,
                                     llvm::StringRef fileName);
  static llvm::Expected<Space> read(llvm::StringRef path);

  const std::string &getName() const { return name; }
  const std::string &getDescription() const { return description; }
  /// The parameters, then the variables: integers without a meaning of their
  /// own, which derived parameters and restrictions ask for.
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
  /// Chips that the space is meant for; empty: any.
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

/// A space from a file, or a shipped one by name: `wgmma-quick`.
llvm::Expected<Space> readSpace(llvm::StringRef name);

/// The shipped spaces that are searched on `chip`, for A and B of `type`, where
/// none is asked for.
std::vector<std::string> getDefaultSpaces(const ChipInfo &chip,
                                          llvm::StringRef type);

/// A configuration as coordinates: the index of a value for each axis.
using SpacePoint = llvm::SmallVector<uint16_t, 16>;

/// How many configurations are left after each rule, in order.
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

/// A space for one problem on one chip: restrictions may ask for M, N, K and
/// batch, and legality does. The chip must outlive it. Cheap to copy.
class SearchSpace {
public:
  /// An error: the space is not meant for the chip.
  static llvm::Expected<SearchSpace> create(const Space &space,
                                            const ChipInfo &chip,
                                            const TuningProblem &problem);

  /// The same space with only those of its legal points that are of `configs`:
  /// what a stored sweep can answer. `count` and `explain` stay as they are.
  SearchSpace restrictTo(llvm::ArrayRef<KernelConfig> configs) const;

  const Space &getSpace() const;
  const ChipInfo &getChip() const;
  const TuningProblem &getProblem() const;

  unsigned getNumAxes() const;
  /// Values along axis `axis`.
  unsigned getNumValues(unsigned axis) const;
  /// The value along `axis` that `text` means.
  std::optional<unsigned> findValue(unsigned axis, llvm::StringRef text) const;
  /// The product of the axes' sizes.
  uint64_t getRawSize() const;
  /// Mixed radix, the last axis fastest.
  SpacePoint getPoint(uint64_t index) const;
  uint64_t getIndex(const SpacePoint &point) const;

  KernelConfig getConfig(const SpacePoint &point) const;
  /// The point of a configuration, if it is one of the product.
  std::optional<SpacePoint> find(const KernelConfig &config) const;

  /// Whether restrictions and legality allow it.
  bool isLegal(const SpacePoint &point) const;
  /// The point of a configuration, if it is one of the legal ones.
  std::optional<SpacePoint> findLegal(const KernelConfig &config) const;
  /// What forbids `config`: that a parameter has none of its axis' values,
  /// restrictions with the values of their names, broken rules of Legality.h.
  std::vector<SpaceViolation> explain(const KernelConfig &config) const;

  /// Calls `visit` with every legal point in the order of their indices, until
  /// it returns false. Nothing is stored, and what a restriction excludes is
  /// left out as soon as the axes that it asks for are set.
  void forEachLegal(llvm::function_ref<bool(const SpacePoint &)> visit) const;
  /// The indices of all legal points. They are found once and kept by all
  /// copies; not for use by several threads.
  llvm::ArrayRef<uint64_t> getLegal() const;
  SpaceCount count() const;

private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_SPACE_H
