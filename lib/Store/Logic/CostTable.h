//===- CostTable.h - Losses of configurations for sizes ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loss of a configuration for a size is its time over the best time. A row
// is a size: one with records, or a sample.
//
// * Records. The best time is measured. Few configurations are measured for
//   many sizes. A model estimates the other times; the error of the estimate
//   for a configuration that was measured for the same size, with the same
//   schedule if possible, corrects it.
// * Samples. All times are the model's, and the best one is the least of its
//   candidates and of the table's configurations.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H
#define TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H

#include "tcgemm/Model/ChoiceModel.h"
#include "tcgemm/Store/LearnLogic.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

class CostTable {
public:
  /// The records are of one chip and differ in sizes and configurations.
  CostTable(llvm::ArrayRef<const Record *> records, const KernelSpec &kernel,
            const ChipInfo &chip, const ChoiceModel &model,
            const LogicOptions &options);

  const ChoiceModel &getModel() const { return model; }
  /// Those of records come first.
  llvm::ArrayRef<MatmulSizes> getSizes() const { return sizes; }
  size_t countRecorded() const { return best.size(); }
  /// The fastest configurations of each size.
  llvm::ArrayRef<KernelConfig> getConfigs() const { return configs; }
  /// The logarithms of the losses of all configurations.
  llvm::ArrayRef<float> getLosses(size_t size) const {
    return llvm::ArrayRef(losses).slice(size * configs.size(), configs.size());
  }
  /// The weight of a size. Measured times have a larger one than estimates.
  float getWeight(size_t size) const;
  bool isMeasured(size_t size, size_t config) const {
    return origins[size * configs.size() + config] == Origin::Measured;
  }
  /// Returns whether the loss is neither measured nor estimated.
  bool isUnknown(size_t size, size_t config) const {
    return origins[size * configs.size() + config] == Origin::None;
  }
  /// Returns whether a recorded size has times of several configurations.
  bool isCompared(size_t size) const { return compared[size]; }
  /// The fastest configuration of a recorded size.
  unsigned getBest(size_t size) const { return best[size]; }
  /// Returns whether no other size made the configuration a candidate.
  bool isOnlyFrom(size_t size, size_t config) const {
    return !options.samples && proposers[config].size() == 1 &&
           proposers[config].front() == size;
  }

  /// The model's times of a sample.
  struct Estimates {
    double microseconds = 0; ///< Of the best configuration.
    /// The logarithms of the losses of all configurations; none if the time is
    /// not known.
    std::vector<std::optional<float>> losses;
    /// True if a schedule was measured to be the fastest, and the times are
    /// those of that schedule's default model.
    bool isMeasured = false;
  };
  /// None if the model does not describe a kernel for the sizes.
  std::optional<Estimates> estimateLosses(const MatmulSizes &sizes) const;
  /// The best time of a sample that the model has estimated; 0 for others.
  double getMicroseconds(size_t size) const { return microseconds[size]; }
  ProblemInfo getProblem(const MatmulSizes &sizes) const;
  KernelWork describeWork(const KernelConfig &config,
                          const MatmulSizes &sizes) const;

private:
  enum class Origin : char { None, Model, Measured };
  /// The measured times of a size, fastest first.
  struct Times {
    MatmulSizes sizes;
    ProblemInfo problem;
    std::vector<const Record *> records;
  };
  unsigned addConfig(const KernelConfig &config, const std::string &text);
  void addConfigs(size_t size, const Times &times);
  void addLosses(const Times &times);
  /// The model's choice for a sample, and those that take little longer.
  struct Preferred {
    std::vector<KernelConfig> configs; ///< The choice is the first one.
    double microseconds = 0;           ///< Of the choice.
    bool isMeasured = false;           ///< See Estimates.
  };
  Preferred rankCandidates(const ProblemInfo &problem) const;
  void addCandidates(llvm::ArrayRef<Preferred> ranked);
  void addSamples(llvm::ArrayRef<MatmulSizes> samples,
                  llvm::ArrayRef<Preferred> ranked);
  std::optional<Estimates> estimateLosses(const MatmulSizes &sample,
                                          const Preferred &preferred) const;
  KernelConfig adapt(const KernelConfig &config,
                     const ProblemInfo &problem) const;
  std::optional<double> estimateRatio(const KernelConfig &config,
                                      const Times &times) const;

  const KernelSpec &kernel;
  const ChipInfo &chip;
  const ChoiceModel &model;
  const LogicOptions &options;
  std::vector<MatmulSizes> sizes;
  std::vector<KernelConfig> configs;
  llvm::StringMap<unsigned> numbers; ///< Of configurations, by their texts.
  /// Recorded sizes of each configuration.
  std::vector<std::vector<size_t>> proposers;
  std::vector<unsigned> best;
  std::vector<double> microseconds;
  std::vector<float> losses;
  std::vector<Origin> origins; ///< Of the losses.
  std::vector<char> compared;
};

/// The sizes and configurations that a rule is learned from.
struct Samples {
  const CostTable &table;
  std::vector<unsigned> sizes;
  std::vector<char> usable; ///< One for each configuration.
  unsigned leafSizes;       ///< The fewest sizes of a leaf.
  float mostLoss;           ///< The logarithm of a leaf's most mean loss.
  float leastGain; ///< A comparison must reduce the sum of losses by more.
  /// The logarithms of the losses of the formulas' choices for all sizes of the
  /// table; empty if there are no formulas.
  std::vector<float> fastest;
};

/// Weighted sums of logarithms of losses: one for each configuration, and the
/// last one for the formulas' choices.
class LossSums {
public:
  explicit LossSums(const Samples &samples)
      : samples(samples), sums(samples.table.getConfigs().size() + 1) {
    for (auto [sum, usable] : llvm::zip(sums, samples.usable))
      sum = usable ? 0 : kUnusable;
    if (samples.fastest.empty())
      sums.back() = kUnusable;
  }
  void add(unsigned size) {
    float weight = samples.table.getWeight(size);
    for (auto [sum, loss] : llvm::zip(sums, samples.table.getLosses(size)))
      sum += weight * loss;
    if (!samples.fastest.empty())
      sums.back() += weight * samples.fastest[size];
    total += weight;
  }
  float getLeast() const { return *std::min_element(sums.begin(), sums.end()); }
  /// The least of `all` without these sums.
  float getLeastOfRest(const LossSums &all) const {
    float least = kUnusable;
    for (size_t i = 0; i != sums.size(); ++i)
      if (all.sums[i] < kUnusable)
        least = std::min(least, all.sums[i] - sums[i]);
    return least;
  }
  /// The choice of a leaf.
  unsigned getChoice() const {
    // If sums are equal, that of the formulas is taken, which is general.
    auto least = std::min_element(sums.rbegin(), sums.rend());
    if (*least > samples.mostLoss * total)
      return SizeRule::kNoChoice;
    return least == sums.rbegin()
               ? SizeRule::kFastest
               : static_cast<unsigned>(sums.rend() - least - 1);
  }

private:
  static constexpr float kUnusable = 1e9F;
  const Samples &samples;
  std::vector<float> sums;
  float total = 0; ///< Of the weights.
};

/// The threshold between two values of a feature: their geometric mean.
int64_t getThreshold(int64_t below, int64_t above);

SizeRule learnTree(const Samples &samples, unsigned mostDepth);
/// Ranges of the features in `order`: the first one outermost.
SizeRule learnThresholds(const Samples &samples,
                         llvm::ArrayRef<SizeFeature> order);
/// The sum of the logarithms of the losses of a rule's choices.
float sumLosses(const SizeRule &rule, const Samples &samples);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGIC_COSTTABLE_H
