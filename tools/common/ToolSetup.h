//===- ToolSetup.h - What the tools' mains share -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_TOOLSETUP_H
#define TCGEMM_TOOLS_COMMON_TOOLSETUP_H

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace llvm::cl {
class OptionCategory;
} // namespace llvm::cl

namespace tcgemm {

/// Lets `--version` name tcgemm and its LLVM.
void setToolVersion();

/// Prepares command-line parsing: `--version` names tcgemm and its LLVM, and
/// the options that LLVM's libraries register by being linked move to
/// `--help-hidden`. Static options of the tool's own category stay. Call
/// it first in main, before options are registered by calls and parsed.
void setUpTool(const llvm::cl::OptionCategory *ownCategory = nullptr);

/// Parses the command line. Prints the errors and returns false if it is wrong.
/// `describeCommand` is the overview of a command of the tool, if it has any.
bool parseCommandLine(
    int argc, char **argv, llvm::StringRef overview,
    std::function<std::string(llvm::StringRef)> describeCommand = nullptr);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_TOOLSETUP_H
