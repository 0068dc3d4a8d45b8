//===- CostModel.h - Models that rank candidates ----------------*- C++ -*-===//
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

/// Estimates microseconds of a kernel for a problem whose sizes are known.
using TimeModel = std::function<double(
    const KernelConfig &config, const ChipInfo &chip, const ProblemInfo &)>;

/// The model as one that ranks the configurations of a space; empty for an
/// empty one.
CostModel createCostModel(TimeModel model);

/// The estimate that chooses the default configuration: waves of CTAs, each
/// with the duration of the slowest of products, copies and latency, bounded by
/// the bandwidth of memory.
CostModel getDefaultCostModel();

/// The analytic model with these constants, as one that ranks. Schedules
/// without constants have the default model's times.
CostModel createAnalyticModel(const ModelConstants &constants);

/// The model for the value of an option. `none`: no model. `default`:
/// getDefaultCostModel. A file or a shipped name: the analytic model with these
/// constants, or the simulator (tcgemm/Model/KernelModel.h) with the speeds of
/// this machine, whose board has rested, if the name ends with
/// `.machine.yaml`. Empty: the analytic model for chips with shipped constants,
/// and the default model for others. Schedules that the analytic model does not
/// cover use the default model.
llvm::Expected<TimeModel> readTimeModel(llvm::StringRef name);
/// The same as one that ranks.
llvm::Expected<CostModel> readCostModel(llvm::StringRef name);
/// The sensitivities of that model's times to its constants, or to the
/// machine's quantities, times the deviation of these relative to that of
/// fitted constants. Zeros for schedules and chips without constants and for
/// kernels that the simulator does not describe; empty for `none` and
/// `default`.
llvm::Expected<ModelFeatures> readModelFeatures(llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_TUNER_COSTMODEL_H
