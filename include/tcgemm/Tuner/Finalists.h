//===- Finalists.h - The candidates of a final ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search ends with a final, which times its fastest candidates again, in
// turns. One process and the tasks of a work list choose them by the same rule.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_FINALISTS_H
#define TCGEMM_TUNER_FINALISTS_H

#include "tcgemm/Store/Record.h"

namespace tcgemm {

struct FinalistRules {
  /// The usual number of finalists. With 0 there is no final, and the fastest
  /// candidate of the search is the result.
  unsigned usual = 5;
  /// Finalists are within this factor of the best.
  double factor = 1.05;
  /// Kernels of at least `longMicroseconds` reach the power limit of the board
  /// when they run continuously, as in a final, and may then rank differently
  /// than in the search. For such kernels there are twice as many finalists,
  /// within this factor.
  double longMicroseconds = 80, longFactor = 1.12;
  /// The first times of candidates within this factor of the best differ by
  /// less than they vary from one device to another. Up to twice as many
  /// finalists may be within it.
  double closeFactor = 1.02;

  /// The greatest number of finalists.
  unsigned getMost() const { return 2 * usual; }
};

/// Chooses the finalists of successful records, of which the fastest of each
/// stage comes first. Times of a final and of a search are not comparable,
/// since a device is hotter in a final: the result is in the order of the ratio
/// to the best of the same stage. With no usual number it is the fastest
/// record.
std::vector<Record> chooseFinalists(llvm::ArrayRef<Record> successes,
                                    const FinalistRules &rules);

} // namespace tcgemm

#endif // TCGEMM_TUNER_FINALISTS_H
