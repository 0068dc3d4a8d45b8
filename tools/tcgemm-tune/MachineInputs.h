//===- MachineInputs.h - Inputs of calibrations and validations -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_MACHINEINPUTS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_MACHINEINPUTS_H

#include "tcgemm/Store/ShippedMachines.h"
#include "tcgemm/Tuner/Engine.h"

namespace tcgemm {

/// Reads `60s` or `60`, from 1 to `most` seconds, as the value of `option`.
llvm::Expected<double> readSeconds(llvm::StringRef option, llvm::StringRef text,
                                   int64_t most);
/// Fails if `model`, the value of --model, is a machine file.
llvm::Error refuseMachine(llvm::StringRef model);
/// Fails if the device is the one that executes nothing.
llvm::Error refuseSimulated(const EngineOptions &options,
                            llvm::StringRef purpose);
/// Prints a line to standard error. `kind` is `note` or `warning`.
void printMessage(llvm::StringRef kind, const llvm::Twine &text);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_MACHINEINPUTS_H
