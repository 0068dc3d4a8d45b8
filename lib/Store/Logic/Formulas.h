//===- Formulas.h - Formulas that approximate a model -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_LOGIC_FORMULAS_H
#define TCGEMM_LIB_STORE_LOGIC_FORMULAS_H

#include "Logic/CostTable.h"

namespace tcgemm {

/// Fits the weights of a configuration's formula to the model's times of the
/// table's samples: the squares of errors of logarithms, among which samples
/// count the more the less the configuration loses.
class FormulaFit {
public:
  using Weights = TimeFormula::Weights;
  using Matrix = std::array<Weights, TimeFormula::kNumWeights>;

  /// None if too few samples have a time.
  static std::optional<FormulaFit> create(const CostTable &table,
                                          unsigned config);
  /// Lets a sample count more.
  void addWeight(size_t sample, double more);
  /// Improves the weights; returns the weighted mean of the squares of errors.
  double run(unsigned mostSteps);
  TimeFormula getFormula() const;

private:
  /// A sample: what the weights multiply, and the time to approximate.
  struct Point {
    size_t sample;
    Weights terms;
    double logTime, weight;
  };
  double getError(const Weights &logs) const;
  double linearise(Matrix &normal, Weights &gradient) const;

  unsigned config = 0;
  FormulaShape shape;
  std::vector<Point> points; ///< By their samples, in ascending order.
  /// The logarithms of weights in microseconds: those of a large kernel.
  Weights logs = {1, -2, 0, -2, -3, -6, -6, -6};
};

/// The formulas of the configurations that lose the least together, and what
/// follows from them for all sizes of the table.
class FormulaTable {
public:
  /// The table has samples.
  FormulaTable(const CostTable &table, const LogicOptions &options);

  bool empty() const { return formulas.empty(); }
  /// Formulas for the sizes of `samples`, one configuration after the other:
  /// each one reduces the losses of the choices the most.
  std::vector<TimeFormula> select(const Samples &samples) const;
  /// The logarithms of the losses of the choices by formulas that `select`
  /// returned, for all sizes of the table.
  std::vector<float> getLosses(llvm::ArrayRef<TimeFormula> selected) const;

private:
  std::vector<unsigned> selectNumbers(llvm::ArrayRef<unsigned> sizes) const;
  void update(size_t number);
  void refine();

  const CostTable &table;
  const LogicOptions &options;
  std::vector<FormulaFit> fits;
  std::vector<TimeFormula> formulas; ///< Of the fits.
  /// The squares of times by formulas, for all sizes of the table.
  std::vector<std::vector<float>> squares;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGIC_FORMULAS_H
