//===- ProblemFlags.cpp - Flags that say what to tune ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemFlags.h"

using namespace tcgemm;
using llvm::Expected;

Expected<KernelSpec> ProblemFlags::readKernel() const {
  const std::string &out = outType.empty() ? type : outType;
  Expected<KernelSpec> kernel =
      KernelSpec::parse(type + " " + layout + " " + out + " " + epilogue);
  if (kernel) {
    kernel->isStatic = isStatic;
    kernel->isApproximate = isApproximate;
  }
  return kernel;
}

Expected<ModuleProblemOptions> ProblemFlags::readRanges() const {
  ModuleProblemOptions sizes;
  sizes.isStatic = isStatic;
  sizes.isApproximate = isApproximate;
  for (auto [text, target] :
       {std::pair(&m, &sizes.m), std::pair(&n, &sizes.n),
        std::pair(&k, &sizes.k), std::pair(&batch, &sizes.batch)}) {
    if (text->empty())
      continue;
    Expected<std::vector<int64_t>> range = parseSizeRange(*text);
    if (!range)
      return range.takeError();
    *target = std::move(*range);
  }
  return sizes;
}
