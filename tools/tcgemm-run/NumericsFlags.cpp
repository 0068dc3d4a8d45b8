//===- NumericsFlags.cpp - Flags of the report of errors ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumericsFlags.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

Error NumericsFlags::read(NumericsOptions &options) const {
  options.isUsed = numerics;
  if (!numerics) {
    // A list has an operator & of its own.
    std::string given =
        findGivenFlag({std::addressof(depths), std::addressof(data),
                       std::addressof(modes), &plot});
    return given.empty() ? Error::success()
                         : llvm::createStringError(given + " needs --numerics");
  }
  if (!depths.empty())
    options.depths.assign(depths.begin(), depths.end());
  for (int64_t k : options.depths)
    if (k < 1 || k > NumericsOptions::kMostDepth)
      return llvm::createStringError(
          "--numerics-k: %lld is not from 1 to %lld", static_cast<long long>(k),
          static_cast<long long>(NumericsOptions::kMostDepth));
  if (!data.empty())
    options.data.clear();
  for (const std::string &name : data) {
    llvm::Expected<NumericsData> kind = parseNumericsData(name);
    if (!kind)
      return llvm::createStringError("--numerics-data: " +
                                     llvm::toString(kind.takeError()));
    options.data.push_back(*kind);
  }
  options.modes.assign(modes.begin(), modes.end());
  options.plot = plot;
  if (!plot.empty() && !StringRef(plot).ends_with(".svg"))
    return llvm::createStringError("--numerics-plot: '" + plot +
                                   "' does not end in .svg");
  return Error::success();
}
