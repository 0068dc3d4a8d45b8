//===- CostTable.h - Losses of configurations for sizes ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loss of a configuration for a size is its time over the best measured
// time. Few configurations are measured for many sizes. A model estimates the
// other times; the error of the estimate for a configuration that was measured
// for the same size, with the same schedule if possible, corrects it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H
#define TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H

#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "tcgemm/Store/SizeLogic.h"

namespace tcgemm {

class CostTable {
public:
  /// The records are of one chip and differ in sizes and configurations.
  CostTable(llvm::ArrayRef<const Record *> records, const ChipInfo &chip,
            const ModelConstants *constants);

  llvm::ArrayRef<MatmulSizes> getSizes() const { return sizes; }
  /// The fastest configurations of each size.
  llvm::ArrayRef<KernelConfig> getConfigs() const { return configs; }
  /// The logarithms of the losses of all configurations.
  llvm::ArrayRef<float> getLosses(size_t size) const {
    return llvm::ArrayRef(losses).slice(size * configs.size(), configs.size());
  }
  bool isMeasured(size_t size, size_t config) const {
    return measured[size * configs.size() + config];
  }
  /// Returns whether a size has times of several configurations.
  bool isCompared(size_t size) const { return compared[size]; }
  /// The fastest configuration of a size.
  unsigned getBest(size_t size) const { return best[size]; }
  /// Returns whether no other size made the configuration a candidate.
  bool isOnlyFrom(size_t size, size_t config) const {
    return origins[config].size() == 1 && origins[config].front() == size;
  }

private:
  /// The measured times of a size, fastest first.
  struct Times {
    MatmulSizes sizes;
    ProblemInfo problem;
    std::vector<const Record *> records;
  };
  void addConfigs(size_t size, const Times &times);
  void addLosses(const Times &times);
  double estimate(const KernelConfig &config, const ProblemInfo &problem) const;
  std::optional<double> estimateRatio(const KernelConfig &config,
                                      const Times &times) const;

  const ChipInfo &chip;
  const ModelConstants *constants;
  std::vector<MatmulSizes> sizes;
  std::vector<KernelConfig> configs;
  std::vector<std::string> texts;           ///< Of the configurations.
  std::vector<std::vector<size_t>> origins; ///< Sizes of each configuration.
  std::vector<unsigned> best;
  std::vector<float> losses;
  std::vector<char> measured, compared;
};

/// The sizes and configurations that a rule is learned from.
struct Samples {
  const CostTable &table;
  std::vector<unsigned> sizes;
  std::vector<char> usable; ///< One for each configuration.
  unsigned leafSizes;       ///< The fewest sizes of a leaf.
  float mostLoss;           ///< The logarithm of a leaf's most mean loss.
};

/// Sums of logarithms of losses, one for each configuration.
class LossSums {
public:
  explicit LossSums(const Samples &samples)
      : samples(samples), sums(samples.table.getConfigs().size()) {
    for (auto [sum, usable] : llvm::zip(sums, samples.usable))
      sum = usable ? 0 : kUnusable;
  }
  void add(unsigned size) {
    for (auto [sum, loss] : llvm::zip(sums, samples.table.getLosses(size)))
      sum += loss;
  }
  float getLeast() const { return *std::min_element(sums.begin(), sums.end()); }
  /// The least of `total` without these sums.
  float getLeastOfRest(const LossSums &total) const {
    float least = kUnusable;
    for (size_t i = 0; i != sums.size(); ++i)
      if (samples.usable[i])
        least = std::min(least, total.sums[i] - sums[i]);
    return least;
  }
  /// The configuration of a leaf with `count` sizes.
  unsigned getChoice(size_t count) const {
    auto least = std::min_element(sums.begin(), sums.end());
    if (*least > samples.mostLoss * static_cast<float>(count))
      return SizeRule::kNoChoice;
    return static_cast<unsigned>(least - sums.begin());
  }

private:
  static constexpr float kUnusable = 1e9F;
  const Samples &samples;
  std::vector<float> sums;
};

/// The threshold between two values of a feature: their geometric mean.
int64_t getThreshold(int64_t below, int64_t above);

/// A comparison must reduce the sum of the logarithms by more than this.
inline constexpr float kLeastGain = 0.02F;

SizeRule learnTree(const Samples &samples, unsigned mostDepth);
/// Ranges of the features in `order`: the first one outermost.
SizeRule learnThresholds(const Samples &samples,
                         llvm::ArrayRef<SizeFeature> order);
/// The sum of the logarithms of the losses of a rule's choices.
float sumLosses(const SizeRule &rule, const Samples &samples);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H
