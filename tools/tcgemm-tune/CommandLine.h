//===- CommandLine.h - Commands, their help and their flags -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDLINE_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDLINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tcgemm {

/// The head of the help for the tool, or for a command of it.
std::string getOverview(llvm::StringRef command);

/// The command as it was given, with the tool's name and no folder of it.
std::string getCommandLine(int argc, const char *const *argv);

/// Fails if a flag does not apply to the command. LLVM accepts the flags
/// without a command for all commands.
llvm::Error checkCommandFlags();

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_COMMANDLINE_H
