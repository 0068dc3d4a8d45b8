//===- VerifyReport.cpp - The result of a comparison ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Reference.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tcgemm;

void VerifyReport::add(const VerifyReport &part) {
  numChecked += part.numChecked;
  numExact += part.numExact;
  numWrong += part.numWrong;
  numNaN += part.numNaN;
  numDueNaN += part.numDueNaN;
  numUnwritten += part.numUnwritten;
  maxError = std::max(maxError, part.maxError);
  maxRatio = std::max(maxRatio, part.maxRatio);
  for (const Mismatch &mismatch : part.mismatches)
    if (mismatches.size() < kMaxMismatches)
      mismatches.push_back(mismatch);
}

std::string VerifyReport::summarize() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << method << ", " << numChecked << " of " << numElements << " elements";
  if (numExact)
    os << ", " << numExact << " by equality";
  if (numDueNaN)
    os << ", " << numDueNaN << " NaN as they must be";
  if (maxRatio > 0)
    os << llvm::formatv(", largest error {0:f3} of the tolerance", maxRatio);
  if (freivalds >= 0)
    os << llvm::formatv(", Freivalds {0:f3} of its bound", freivalds);
  if (passed)
    return text;
  os << "; " << numWrong << " wrong, "
     << std::max<int64_t>(0, numNaN - numDueNaN) << " wrongly NaN, "
     << numUnwritten << " never written";
  for (const Mismatch &mismatch : llvm::ArrayRef(mismatches).take_front(3))
    os << llvm::formatv("; out{0}[{1}, {2}, {3}] = ", mismatch.output,
                        mismatch.b, mismatch.m, mismatch.n)
       << llvm::format("%g, expected %g +- %g", mismatch.actual,
                       mismatch.expected, mismatch.tolerance);
  return text;
}
