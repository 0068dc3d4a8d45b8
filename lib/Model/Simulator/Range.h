//===- Range.h - Ranges of the simulator's numbers --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_SIMULATOR_RANGE_H
#define TCGEMM_LIB_MODEL_SIMULATOR_RANGE_H

#include "tcgemm/Model/Ring.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace tcgemm {

struct RangedNumber {
  llvm::StringLiteral name;
  int64_t value, low, high;
};

/// The error names the first number outside its range, and the range.
inline llvm::Error checkRanges(std::initializer_list<RangedNumber> numbers) {
  for (const RangedNumber &number : numbers)
    if (number.value < number.low || number.value > number.high)
      return llvm::createStringError(
          number.name + " = " + llvm::Twine(number.value) +
          ", but it must be " + llvm::Twine(number.low) + " to " +
          llvm::Twine(number.high));
  return llvm::Error::success();
}

/// Checks the times and counts of a ring.
llvm::Error checkRing(const RingTimes &times, const RingShape &shape);

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_SIMULATOR_RANGE_H
