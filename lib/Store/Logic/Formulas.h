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
/// count the more the less the configuration loses. None if too few samples
/// have a time.
std::optional<TimeFormula> fitFormula(const CostTable &table, unsigned config);

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
  const CostTable &table;
  const LogicOptions &options;
  std::vector<TimeFormula> formulas;
  /// The squares of times by formulas, for all sizes of the table.
  std::vector<std::vector<float>> squares;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGIC_FORMULAS_H
