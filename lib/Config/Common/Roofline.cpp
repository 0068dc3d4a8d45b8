//===- Roofline.cpp - The arithmetic of the default estimates -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Roofline.h"

using namespace llvm;

namespace tcgemm {

double combineBounds(ArrayRef<double> bounds, double disturbance) {
  double most = 0, sum = 0;
  for (double bound : bounds) {
    most = std::max(most, bound);
    sum += bound;
  }
  return most + disturbance * (sum - most);
}

double getMemoryTime(const KernelWork &work, double rate) {
  return (work.inputBytes + work.outputBytes) / rate;
}

double getReductionTime(const KernelWork &work, double rate) {
  constexpr double launch = 2500;
  return work.reduceBytes > 0 ? launch + work.reduceBytes / rate : 0;
}

} // namespace tcgemm
