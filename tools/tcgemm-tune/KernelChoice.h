//===- KernelChoice.h - Kernels that are exported ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_KERNELCHOICE_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_KERNELCHOICE_H

#include "ExchangeFlags.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// A kernel before it is compiled.
struct KernelChoice {
  Record record;
  std::string problem; ///< Description of the computation.
  /// True if the record's configuration is complete. Else the compiler
  /// completes `configText`, by the records of `records`.
  bool isComplete = true;
  std::string configText;
  std::string records = "none";
  /// Accepts code that spills registers, as --allow-spills does.
  bool allowsSpills = false;
  std::string module; ///< MLIR; empty: the record's problem is generated.
};

/// The chip of --chip, or sm_90a.
std::string getChip(const Flags &flags);
/// A choice whose record has the whole configuration.
KernelChoice makeComplete(const Record &record);
/// A choice by the shipped records or a model, with a note that says so.
/// Errors: no configuration is legal.
llvm::Expected<KernelChoice> predictKernel(const TuningProblem &problem,
                                           llvm::StringRef chip);
/// The code that the database has for a known configuration; else it is
/// compiled.
llvm::Expected<KernelPack> getPack(const ExchangeFlags &flags,
                                   KernelChoice &choice);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_KERNELCHOICE_H
