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
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace tcgemm {

struct RangedNumber {
  llvm::StringLiteral name;
  int64_t value, low, high;
};

inline bool isInRange(const RangedNumber &number) {
  return number.value >= number.low && number.value <= number.high;
}

/// The error names the first number outside its range, and the range.
llvm::Error makeRangeError(std::initializer_list<RangedNumber> numbers);

/// Fails if a number is outside its range. Inlined, because the models of all
/// candidates of a choice check their numbers, and compilers then remove the
/// list.
LLVM_ATTRIBUTE_ALWAYS_INLINE llvm::Error
checkRanges(std::initializer_list<RangedNumber> numbers) {
  bool areInRange = true;
  for (const RangedNumber &number : numbers)
    areInRange &= isInRange(number);
  return areInRange ? llvm::Error::success() : makeRangeError(numbers);
}

/// Checks the times and counts of a ring.
llvm::Error checkRing(const RingTimes &times, const RingShape &shape);

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_SIMULATOR_RANGE_H
