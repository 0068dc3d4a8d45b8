//===- NumericsOptions.h - Options of the report of errors ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSOPTIONS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSOPTIONS_H

#include "tcgemm/Runtime/Numerics.h"

namespace tcgemm {

struct NumericsOptions {
  /// The host computes the references of larger products in minutes.
  static constexpr int64_t kMostDepth = 1 << 16, kMostSide = 1 << 10;
  /// M and N if they are not given.
  static constexpr int64_t kDefaultSide = 64;

  bool isUsed = false;
  std::vector<int64_t> depths = {16, 64, 256, 1024, 4096};
  std::vector<NumericsData> data = {NumericsData::Normal, NumericsData::Wide,
                                    NumericsData::Cancelling};
  std::vector<std::string> modes; ///< Empty: all of the type.
  std::string plot;               ///< File of the chart; empty: none.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSOPTIONS_H
