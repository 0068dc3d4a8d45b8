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

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_TUNEINPUTS_H
