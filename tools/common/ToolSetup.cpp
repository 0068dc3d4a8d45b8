//===- ToolSetup.cpp - What the tools' mains share -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolSetup.h"
#include "OptionListing.h"
#include "tcgemm/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using namespace llvm;

void tcgemm::setToolVersion() {
  setBugReportMsg("tcgemm " TCGEMM_VERSION_STRING " crashed. Please report it, "
                  "with the input and the stack below.\n");
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "tcgemm " TCGEMM_VERSION_STRING " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

void tcgemm::setUpTool(const cl::OptionCategory *ownCategory) {
  setToolVersion();
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    bool kept = is_contained({"help", "version"}, option->ArgStr) ||
                (ownCategory && is_contained(option->Categories, ownCategory));
    if (!kept && option->getOptionHiddenFlag() == cl::NotHidden)
      option->setHiddenFlag(cl::Hidden);
  }
}

bool tcgemm::parseCommandLine(
    int argc, char **argv, StringRef overview,
    std::function<std::string(StringRef)> describeCommand) {
  if (!describeCommand)
    describeCommand = [text = overview.str()](StringRef) { return text; };
  addOptionListing(std::move(describeCommand));
  std::string errors;
  raw_string_ostream stream(errors);
  bool isRight = cl::ParseCommandLineOptions(argc, argv, overview, &stream);
  if (!isRight)
    errs() << errors;
  return isRight;
}
