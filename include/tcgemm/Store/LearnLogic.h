//===- LearnLogic.h - Logic from records ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_LEARNLOGIC_H
#define TCGEMM_STORE_LEARNLOGIC_H

#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "tcgemm/Store/SizeLogic.h"

namespace tcgemm {

struct LogicOptions {
  unsigned mostDepth = 8;  ///< Of a tree. Thresholds are bounded by ranges.
  unsigned leastSizes = 8; ///< Products with fewer sizes get no rule.
  unsigned leafSizes = 5;  ///< The fewest sizes of a leaf.
  /// The most that the sizes of a leaf may lose by its configuration, as their
  /// geometric mean; a leaf that loses more makes no choice.
  double mostLoss = 1.06;
  bool measuresLoss = true; ///< True if each size is left out once.
};

/// Learns the logic of a device from measured times. Records of failures, with
/// times of a model, and with illegal configurations are left out. `constants`
/// are those of the records' chip, or null: estimates replace missing times.
/// Errors: no record is left; there are records of several chips or devices.
llvm::Expected<SizeLogic> learnLogic(llvm::ArrayRef<Record> records,
                                     const ModelConstants *constants,
                                     const LogicOptions &options);

} // namespace tcgemm

#endif // TCGEMM_STORE_LEARNLOGIC_H
