//===- SizeLogic.h - Rules from sizes to configurations ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The logic of a device chooses the configuration of a product by its sizes, in
// less than a microsecond. Sizes that were tuned have their own entry. A rule,
// which was learned from them, serves all other sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_SIZELOGIC_H
#define TCGEMM_STORE_SIZELOGIC_H

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Store/TimeFormula.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tcgemm {

/// A number that rules compare with thresholds. Area: M·N·batch. Divisor: the
/// largest power of two up to 64 that divides the size.
enum class SizeFeature { M, N, K, Batch, Area, DivisorM, DivisorN, DivisorK };
inline constexpr unsigned kNumSizeFeatures = 8;
/// `m`, `area`, `divisor_m`, ...
llvm::StringRef getSizeFeatureName(SizeFeature feature);
/// Products that exceed 64 bits are the largest integer.
int64_t getSizeFeature(SizeFeature feature, const MatmulSizes &sizes);

/// How a rule was learned.
enum class RuleKind {
  Thresholds, ///< Ranges of one size, divided by ranges of the next one.
  Tree,       ///< A decision tree of all features, of bounded depth.
};
inline constexpr unsigned kNumRuleKinds = 2;
llvm::StringRef getRuleKindName(RuleKind kind);

/// Nested comparisons of features with thresholds.
struct SizeRule {
  /// The choice of a leaf whose sizes have no configuration in common that is
  /// fast for all of them.
  static constexpr unsigned kNoChoice = ~0U;
  /// The choice of a leaf that asks the formulas: the configuration of the
  /// least time. There are formulas if a leaf asks them.
  static constexpr unsigned kFastest = ~0U - 1;

  /// A comparison, or a leaf with the number of a configuration.
  struct Node {
    std::optional<unsigned> config;
    SizeFeature feature = SizeFeature::M;
    /// `below` follows if the feature is less than the threshold, else `other`.
    /// Both numbers are larger than the node's own, so that each walk ends.
    int64_t threshold = 0;
    unsigned below = 0, other = 0;
  };
  std::vector<Node> nodes; ///< Without nodes there is no rule.
  std::vector<TimeFormula> formulas;

  /// The number of a configuration, or kNoChoice; the rule has nodes.
  unsigned choose(const MatmulSizes &sizes) const;
  /// The configuration of the least time; the first one of equal times.
  unsigned chooseFastest(const MatmulSizes &sizes) const;
  /// Replaces numbers of configurations in leaves and formulas.
  void renumber(llvm::function_ref<unsigned(unsigned)> getNumber);
  /// The most comparisons of a walk.
  unsigned getDepth() const;
  unsigned countLeaves() const;
};

/// The loss of the rule for each size, learned without that size's records: the
/// time of its choice over the best measured time.
struct LogicQuality {
  unsigned sizes = 0; ///< Sizes with a choice.
  double loss = 1; ///< The geometric mean of these; some times are estimates.
  unsigned withoutChoice = 0;
  /// Sizes with several measured configurations, of which the choice is one.
  unsigned measuredSizes = 0;
  double measuredLoss = 1; ///< The geometric mean of these.
};

/// The loss of a rule for random sizes that it was not learned from: the time
/// of its choice over that of the model's choice, both by the model.
struct ModelQuality {
  std::string model;  ///< `fitted model`; empty: no model was asked.
  unsigned sizes = 0; ///< Sizes with a choice.
  double loss = 1;    ///< The geometric mean.
  double worst = 1;
  unsigned withoutChoice = 0;
};

/// The logic of products that differ in their sizes only.
struct ProductLogic {
  KernelSpec kernel; ///< Neither batched nor static.
  std::vector<std::pair<MatmulSizes, unsigned>> exact;
  RuleKind kind = RuleKind::Tree;
  SizeRule rule;
  LogicQuality quality;
  ModelQuality modelQuality;
};

/// The logic of a device.
struct SizeLogic {
  std::string chip;   ///< `sm_90a`, a known chip.
  std::string device; ///< `NVIDIA H200`.
  std::vector<KernelConfig> configs;
  std::vector<ProductLogic> products;
};

/// Returns whether a file's text is that of a logic, so that its errors are
/// those of parseSizeLogic.
bool isSizeLogic(llvm::StringRef text);
/// Reads JSON as writeSizeLogic writes it. Errors name the place.
llvm::Expected<SizeLogic> parseSizeLogic(llvm::StringRef text,
                                         llvm::StringRef fileName);
void writeSizeLogic(const SizeLogic &logic, llvm::raw_ostream &out);

} // namespace tcgemm

#endif // TCGEMM_STORE_SIZELOGIC_H
