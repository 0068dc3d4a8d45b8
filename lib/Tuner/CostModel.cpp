//===- CostModel.cpp - What ranks candidates ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/CostModel.h"
#include "tcgemm/Transforms/ConfigProvider.h"

namespace tcgemm {

CostModel getDefaultCostModel() {
  return [](const SearchSpace &space, const KernelConfig &config) {
    return estimateTime(config, space.getChip(), space.getProblem().getInfo());
  };
}

} // namespace tcgemm
