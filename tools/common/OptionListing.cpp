//===- OptionListing.cpp - The options of a tool, as JSON -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionListing.h"
#include "tcgemm/Version.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <utility>

using namespace tcgemm;
using llvm::StringRef;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

using KeywordParsers =
    llvm::DenseMap<const cl::Option *, const cl::generic_parser_base *>;

/// The options are objects that exist once in a process, and so is this.
KeywordParsers &getKeywordParsers() {
  static KeywordParsers parsers;
  return parsers;
}

StringRef describeValue(const cl::Option &option) {
  switch (option.getValueExpectedFlag()) {
  case cl::ValueRequired:
    return "required";
  // LLVM reads flags with =true and =false, which nobody writes.
  case cl::ValueOptional:
    return option.ValueStr.empty() ? "nothing" : "optional";
  default:
    return "nothing";
  }
}

bool canRepeat(const cl::Option &option) {
  auto count = option.getNumOccurrencesFlag();
  return count == cl::ZeroOrMore || count == cl::OneOrMore;
}

void writeOption(json::OStream &out, StringRef name, const cl::Option &option) {
  out.object([&] {
    out.attribute("name", name);
    // The option of all passes has no name, and one help for all.
    bool isPass = option.ArgStr.empty();
    out.attribute("help", isPass ? "" : option.HelpStr);
    out.attribute("category", isPass ? "Passes and pipelines"
                                     : option.Categories.front()->getName());
    out.attribute("value", isPass ? "options" : option.ValueStr);
    out.attribute("takes", isPass ? "optional" : describeValue(option));
    out.attribute("repeats", isPass || canRepeat(option));
    auto parser = getKeywordParsers().find(&option);
    if (parser == getKeywordParsers().end())
      return;
    out.attributeArray("values", [&] {
      for (unsigned i = 0, e = parser->second->getNumOptions(); i < e; ++i)
        out.object([&] {
          out.attribute("name", parser->second->getOption(i));
          out.attribute("help", parser->second->getDescription(i));
        });
    });
  });
}

void writeCommand(json::OStream &out, cl::SubCommand &command,
                  StringRef overview) {
  out.object([&] {
    out.attribute("name", command.getName());
    out.attribute("help", command.getDescription());
    out.attribute("overview", overview);
    out.attributeArray("arguments", [&] {
      for (const cl::Option *argument : command.PositionalOpts)
        out.value(argument->HelpStr);
    });
    std::vector<std::pair<StringRef, const cl::Option *>> options;
    for (const auto &entry : command.OptionsMap)
      if (entry.second->getOptionHiddenFlag() == cl::NotHidden)
        options.emplace_back(entry.first, entry.second);
    llvm::sort(options);
    out.attributeArray("options", [&] {
      for (const auto &[name, option] : options)
        writeOption(out, name, *option);
    });
  });
}

void writeListing(llvm::raw_ostream &os,
                  const std::function<std::string(llvm::StringRef)> &overview) {
  std::vector<cl::SubCommand *> commands;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (command != &cl::SubCommand::getTopLevel() &&
        command != &cl::SubCommand::getAll())
      commands.push_back(command);
  llvm::sort(commands, [](const cl::SubCommand *a, const cl::SubCommand *b) {
    return a->getName() < b->getName();
  });
  commands.insert(commands.begin(), &cl::SubCommand::getTopLevel());
  json::OStream out(os, /*IndentSize=*/1);
  out.object([&] {
    out.attribute("version", TCGEMM_VERSION_STRING);
    out.attributeArray("commands", [&] {
      for (cl::SubCommand *command : commands)
        writeCommand(out, *command, overview(command->getName()));
    });
  });
  os << '\n';
}

} // namespace

void tcgemm::listKeywords(const cl::Option &option,
                          const cl::generic_parser_base &parser) {
  getKeywordParsers()[&option] = &parser;
}

void tcgemm::addOptionListing(
    std::function<std::string(llvm::StringRef)> overview) {
  static std::function<std::string(llvm::StringRef)> overviews =
      std::move(overview);
  static cl::opt<bool> listing("options-json", cl::Hidden, cl::ValueDisallowed,
                               cl::desc("Print the options as JSON, and end"),
                               cl::callback([](const bool &isGiven) {
                                 if (!isGiven)
                                   return;
                                 writeListing(llvm::outs(), overviews);
                                 llvm::outs().flush();
                                 std::exit(0);
                               }));
}
