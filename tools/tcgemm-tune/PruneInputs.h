//===- PruneInputs.h - Options of pruning -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_PRUNEINPUTS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_PRUNEINPUTS_H

#include "Flags.h"

namespace tcgemm {

/// The options of pruning. `sweeps` replace the shipped records if no files are
/// given. Errors: flags that do not go with each other, a quantile out of its
/// range, files that cannot be read.
llvm::Expected<PruneOptions>
readPruneOptions(const Flags &flags, llvm::ArrayRef<Record> sweeps = {});

/// Fails if there are no limits for `chip`.
llvm::Error checkLimits(const PruneOptions &options, const ChipInfo &chip);

/// Prints what limits the pruning: limits of another device, and problems for
/// which no margin is known.
void printPruneNotes(const PruneOptions &options, const ChipInfo &chip,
                     llvm::StringRef device,
                     llvm::ArrayRef<TuningProblem> problems);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_PRUNEINPUTS_H
