//===- CommandWork.h - Tasks of a cluster ----------------------*- C++ -*- ===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDWORK_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDWORK_H

#include "TuneInputs.h"

namespace tcgemm {

/// Takes shards of the work list of --work until all are done; returns the exit
/// code. `interrupted` is set by a signal.
int runWorkTask(const Flags &flags, TuneInputs &inputs,
                const std::atomic<bool> &interrupted);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDWORK_H
