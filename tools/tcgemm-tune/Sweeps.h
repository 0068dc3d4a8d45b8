//===- Sweeps.h - Records given on the command line -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of `replay`, `fit` and `logic`, and of --prune-sweeps: databases,
// files of JSON lines and shapes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPS_H

#include "Flags.h"
#include "tcgemm/Tuner/Replay.h"

namespace tcgemm {

struct StoredSweeps {
  std::vector<Record>
      records; ///< Records of one chip and of the requested problems.
  std::vector<TuningProblem> problems; ///< In the order of the records.
  const ChipInfo *chip = nullptr;
};

/// All records of files. `shipped` names those that are built in.
llvm::Expected<std::vector<Record>>
readRecordFiles(llvm::ArrayRef<std::string> files);

/// The records of the command's arguments: files, and the shapes that are
/// wanted of them (all, if none is named). Errors: a file that cannot be read,
/// a shape without a record, records of several chips.
llvm::Expected<StoredSweeps> readSweeps(const Flags &flags);

/// The sweep of a problem in the space that --space names, or in the shipped
/// one that has most of its records.
llvm::Expected<Sweep> createSweep(const Flags &flags,
                                  const StoredSweeps &stored,
                                  const TuningProblem &problem);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_SWEEPS_H
