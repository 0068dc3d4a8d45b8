//===- CostModel.h - What ranks candidates ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_COSTMODEL_H
#define TCGEMM_TUNER_COSTMODEL_H

#include "tcgemm/Tuner/Strategy.h"

namespace tcgemm {

/// The estimate by which the default configuration is chosen: rounds of CTAs
/// over the chip, each as long as the slowest of products, copies and latency,
/// and not faster than memory.
CostModel getDefaultCostModel();

} // namespace tcgemm

#endif // TCGEMM_TUNER_COSTMODEL_H
