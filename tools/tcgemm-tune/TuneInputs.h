//===- TuneInputs.h - The parts of a run that flags say ----------*- C++ -*-
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_TUNEINPUTS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_TUNEINPUTS_H

#include "Flags.h"
#include "RunProgress.h"
#include "tcgemm/Tuner/Protocol.h"

#include <map>

namespace tcgemm {

/// The parts of a run that the flags say.
struct TuneInputs {
  TunerOptions options;
  std::vector<TuningProblem> problems;
  EngineOptions engine;
};

/// Finds everything that can be wrong without a device.
llvm::Expected<TuneInputs> readInputs(const Flags &flags);

/// The spaces of the problems, by their names.
using SpacesByName = std::map<std::vector<std::string>, std::vector<Space>>;
llvm::Expected<SpacesByName> readSpacesByName(const Flags &flags,
                                              const TuneInputs &inputs,
                                              const ChipInfo &chip);
/// The spaces of one problem.
llvm::ArrayRef<Space> findSpaces(const SpacesByName &spaces, const Flags &flags,
                                 const TuneInputs &inputs, const ChipInfo &chip,
                                 const TuningProblem &problem);

/// Sets the returned flag at the first interrupt, which ends a run in order. A
/// second one ends it at once.
const std::atomic<bool> &catchInterrupts();
/// The observer that prints. `device` is empty for one device, and `run` null
/// without a common progress.
std::unique_ptr<TuningObserver>
createScreen(const Flags &flags, const std::string &device,
             const std::shared_ptr<RunProgress> &run);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_TUNEINPUTS_H
