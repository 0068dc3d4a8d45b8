//===- Dims.cpp - The dimensions of a kernel's contraction ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Dims.h"

using namespace tcgemm;
using llvm::StringRef;

StringRef tcgemm::getSizeName(Dim dim) {
  constexpr StringRef names[] = {"M", "N", "K", "batch", "batch_c", "batch_d"};
  return names[static_cast<unsigned>(dim)];
}

StringRef tcgemm::getDimName(Dim dim) {
  constexpr StringRef names[] = {"m", "n", "k", "b", "c", "d"};
  return names[static_cast<unsigned>(dim)];
}

std::optional<Dim> tcgemm::findDim(char letter) {
  for (unsigned i = 0; i != kNumDims; ++i)
    if (getDimName(Dim(i)).front() == letter)
      return Dim(i);
  return std::nullopt;
}

int64_t tcgemm::countProducts(const ProblemSizes &sizes) {
  int64_t count = 1;
  for (unsigned i = 0; i != kNumDims; ++i)
    if (isOuter(Dim(i)))
      count *= sizes[i];
  return count;
}
