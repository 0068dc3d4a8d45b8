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
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
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

/// Returns true if an empty value of the option means something: an empty
/// configuration is the default one. The help calls such values `config`.
static bool mayBeEmpty(StringRef name) {
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (cl::Option *option = command->OptionsMap.lookup(name);
        option && option->ValueStr == "config")
      return true;
  return false;
}

/// Finds the first option with an empty value, as a shell's variable that is
/// not set leaves it. LLVM reads it as 0, or as if the option were not there.
static std::optional<StringRef>
findEmptyValue(ArrayRef<const char *> arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef word = arguments[i];
    if (word == "--")
      break;
    if (!word.starts_with("-"))
      continue;
    auto [name, value] = word.ltrim('-').split('=');
    bool isEmpty = word.contains('=') ? value.empty()
                                      : i + 1 < arguments.size() &&
                                            StringRef(arguments[i + 1]).empty();
    if (isEmpty && !mayBeEmpty(name))
      return name;
  }
  return std::nullopt;
}

bool tcgemm::parseCommandLine(
    int argc, char **argv, StringRef overview,
    std::function<std::string(StringRef)> describeCommand) {
  if (!describeCommand)
    describeCommand = [text = overview.str()](StringRef) { return text; };
  addOptionListing(std::move(describeCommand));
  if (std::optional<StringRef> name = findEmptyValue(ArrayRef(argv, argc))) {
    errs() << sys::path::filename(argv[0]) << ": error: --" << *name
           << " has an empty value: give one, or leave the option out\n";
    return false;
  }
  std::string errors;
  raw_string_ostream stream(errors);
  bool isRight = cl::ParseCommandLineOptions(argc, argv, overview, &stream);
  if (!isRight)
    errs() << errors;
  return isRight;
}
