//===- Finalists.cpp - The candidates of a final --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Finalists.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

std::vector<Record> chooseFinalists(ArrayRef<Record> successes,
                                    const FinalistRules &rules) {
  bool isLong = !successes.empty() &&
                successes.front().timing.median >= rules.longMicroseconds;
  double limit = isLong ? rules.longFactor : rules.factor;
  double fastest[2] = {};
  std::vector<std::pair<double, const Record *>> near;
  for (const Record &record : successes) {
    double time = record.timing.median;
    double &best = fastest[record.timing.stage == TimingStage::Final];
    best = best == 0 ? time : best;
    if (time <= limit * best)
      near.emplace_back(time / best, &record);
  }
  // Equal factors keep the order of the records, whose addresses ascend.
  llvm::sort(near);
  size_t numClose = count_if(near, [&](const auto &candidate) {
    return isLong || candidate.first <= rules.closeFactor;
  });
  size_t number =
      rules.usual ? std::clamp<size_t>(numClose, rules.usual, rules.getMost())
                  : 1;
  std::vector<Record> finalists;
  for (auto [factor, record] : ArrayRef(near).take_front(number))
    finalists.push_back(*record);
  return finalists;
}

} // namespace tcgemm
