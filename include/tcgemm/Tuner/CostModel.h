//===- CostModel.h - What ranks candidates ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_COSTMODEL_H
#define TCGEMM_TUNER_COSTMODEL_H

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Strategy.h"

namespace tcgemm {

/// The estimate by which the default configuration is chosen: rounds of CTAs
/// over the chip, each as long as the slowest of products, copies and latency,
/// and not faster than memory.
CostModel getDefaultCostModel();

/// The analytic model with these constants, as one that ranks.
CostModel createAnalyticModel(const ModelConstants &constants);

/// A model for an option: `none` is none, `default` getDefaultCostModel; a file
/// or a shipped name has its constants; for an empty one, a chip with shipped
/// constants has the analytic model and others the default. So have schedules
/// that the analytic model does not cover.
llvm::Expected<CostModel> readCostModel(llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_TUNER_COSTMODEL_H
