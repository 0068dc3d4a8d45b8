//===- OptionListing.h - The options of a tool, as JSON ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Manual pages and completions of shells are generated from this listing:
// utils/docs/generate-manuals.py.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_OPTIONLISTING_H
#define TCGEMM_TOOLS_COMMON_OPTIONLISTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

#include <functional>
#include <string>

namespace tcgemm {

/// Gives the tool the hidden option `--options-json`: it prints the listing and
/// ends. `overview` is the head of the help of a command, or of the tool for
/// the empty name. Call it once, before the command line is parsed.
///
/// The listing has `version` and `commands`; the first of these has no
/// name and is the tool without a command. A command has `name`, `help`,
/// `overview`, `arguments` (the description of what is no option) and
/// `options`. An option has `name`, `help`, `category`, `value` (the word for
/// its value in the help), `takes` (`nothing`, `optional` or `required`),
/// `repeats`, and `values` with a `name` and a `help` each if it is a keyword.
/// Options that the help hides are left out.
void addOptionListing(std::function<std::string(llvm::StringRef)> overview);

/// Makes the keywords of an option known to the listing. LLVM's options do not
/// give access to their parsers.
void listKeywords(const llvm::cl::Option &option,
                  const llvm::cl::generic_parser_base &parser);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_OPTIONLISTING_H
