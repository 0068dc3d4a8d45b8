//===- LearnLogic.h - Logic from records ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_LEARNLOGIC_H
#define TCGEMM_STORE_LEARNLOGIC_H

#include "tcgemm/Model/ChoiceModel.h"
#include "tcgemm/Store/Record.h"
#include "tcgemm/Store/SizeLogic.h"

namespace tcgemm {

struct LogicOptions {
  unsigned mostDepth = 8;  ///< Of a tree. Thresholds are bounded by ranges.
  unsigned leastSizes = 8; ///< Without samples, fewer sizes get no rule.
  unsigned leafSizes = 5;  ///< The fewest sizes of a leaf.
  /// The most that the sizes of a leaf may lose by its configuration, as their
  /// geometric mean; a leaf that loses more makes no choice.
  double mostLoss = 1.06;
  bool measuresLoss = true; ///< True if sizes are left out in turn.
  /// Sizes whose times a model estimates. With none, rules are learned from
  /// records alone, and have no formulas.
  unsigned samples = 0;
  unsigned mostFormulas = 80; ///< Configurations that formulas compare.
  /// If there are any, rules choose among these configurations as they are, for
  /// all sizes: those of a library's kernels.
  std::vector<KernelConfig> only;
};

/// Learns the logic of a device from measured times, and from a model's times
/// for samples. Records of failures, with times of a model, and with illegal
/// configurations are left out. `speeds` are those of the records' chip.
/// Errors: no record is left; there are records of several chips or devices.
llvm::Expected<SizeLogic> learnLogic(llvm::ArrayRef<Record> records,
                                     const ChipSpeeds &speeds,
                                     const LogicOptions &options);

} // namespace tcgemm

#endif // TCGEMM_STORE_LEARNLOGIC_H
