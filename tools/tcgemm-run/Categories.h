//===- Categories.h - The parts of the help ---------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_CATEGORIES_H
#define TCGEMM_TOOLS_TCGEMM_RUN_CATEGORIES_H

#include "llvm/Support/CommandLine.h"

namespace tcgemm {

namespace cl = llvm::cl;

/// The parts of the help, to which the flags of all subjects belong.
struct Categories {
  cl::OptionCategory inputs{"What to run"};
  cl::OptionCategory data{"Its data"};
  cl::OptionCategory actions{"What to do with it"};
  cl::OptionCategory ptx{"A kernel in a .ptx file"};
  cl::OptionCategory devices{"Where to run it"};
};

/// The first of `options` that was given, as `--name`; else nothing.
std::string findGivenFlag(llvm::ArrayRef<const cl::Option *> options);

/// The words of a command line that give options of a category, for a shell, in
/// their order; not those named in `except`.
std::string formatGivenOptions(llvm::ArrayRef<const char *> arguments,
                               const cl::OptionCategory &category,
                               llvm::ArrayRef<llvm::StringRef> except);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_CATEGORIES_H
