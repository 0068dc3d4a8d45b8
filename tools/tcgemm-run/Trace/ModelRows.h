//===- ModelRows.h - The simulator's timeline -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_TRACE_MODELROWS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_TRACE_MODELROWS_H

#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Runtime/Timeline.h"

namespace tcgemm {

/// The rows of a CTA of the first wave, from its start: a producer and the
/// consumers, with the names that a measured trace has.
std::vector<TimelineRow> getModelRows(const KernelPrediction &prediction);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_TRACE_MODELROWS_H
