//===- LibraryInputs.h - Contents of an exported library ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_LIBRARYINPUTS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_LIBRARYINPUTS_H

#include "ExchangeFlags.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// A word of --scaling.
struct Scaling {
  llvm::StringLiteral name;
  bool hasAlpha, hasBeta, isInMemory;
};

/// A module's text.
struct ModuleInput {
  std::string path, text;
};

struct PackInput {
  std::string path;
  KernelPack pack;
};

/// The contents that the command line asks for.
struct LibraryInputs {
  std::vector<std::string> chips;
  std::vector<const Scaling *> scalings;
  std::vector<TuningProblem> problems;
  std::vector<ModuleInput> modules;
  std::vector<PackInput> packs;
  /// The expected sizes of modules whose sizes are dynamic; or empty.
  std::string sizeHint;
};

/// Reads modules and packs. Errors are bad input.
llvm::Expected<LibraryInputs> readLibraryInputs(const ExchangeFlags &flags);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_LIBRARYINPUTS_H
