//===- ModuleParser.cpp - Parser of PTX modules ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/ModuleParser.h"
#include "Ptx/Limits.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

bool ModuleParser::parseHeader() {
  if (!in.consumeWord("version"))
    return in.failExpected("'.version' at the start of a module");
  auto [major, minor] = in.token().text.split('.');
  if (!in.token().is(Kind::Number) ||
      major.getAsInteger(10, symbols.module.versionMajor) ||
      minor.getAsInteger(10, symbols.module.versionMinor))
    return in.failExpected("a version such as 8.0");
  in.advance();
  if (!in.consumeWord("target"))
    return in.failExpected("'.target' after '.version'");
  if (in.parseName(symbols.module.target, "a target such as sm_90"))
    return true;
  // For example `debug` and `texmode_independent`.
  while (in.consume(","))
    if (StringRef option; in.parseName(option, "an option of the target"))
      return true;
  if (!in.consumeWord("address_size"))
    return false;
  uint64_t bits = 0;
  uint32_t line = in.token().line;
  if (constants.parseCount(bits, 64, "the size of addresses"))
    return true;
  return bits != 64 && in.fail("addresses must have 64 bits", line);
}

bool ModuleParser::parse() {
  if (parseHeader())
    return true;
  while (!in.token().is(Kind::End))
    if (parseItem())
      return true;
  return false;
}

bool ModuleParser::parseItem() {
  bool isExtern = false;
  bool hasLinkage = false;
  if (in.token().isDotWord("extern") || in.token().isDotWord("visible") ||
      in.token().isDotWord("weak") || in.token().isDotWord("common")) {
    hasLinkage = true;
    isExtern = in.token().text == "extern";
    in.advance();
  }
  if (in.token().isDotWord("func") || in.token().isDotWord("entry"))
    return functions.parse(isExtern);
  if (variables.isSpaceWord())
    return variables.parseVariables(isExtern);
  if (hasLinkage)
    return in.failExpected("a variable or a function after its linkage");
  if (in.token().isDotWord("file"))
    return directives.parseFile();
  if (in.token().isDotWord("loc"))
    return directives.parseLoc();
  if (in.token().isDotWord("section"))
    return directives.parseSection();
  if (in.token().isDotWord("pragma"))
    return directives.parsePragma();
  if (in.token().isDotWord("alias"))
    return parseAlias();
  return in.failExpected("a variable or a function");
}

bool ModuleParser::parseAlias() {
  in.advance();
  StringRef name, target;
  uint32_t line = in.token().line;
  if (in.parseName(name, "the name of an alias") ||
      in.expect(",", "after an alias's name") ||
      in.parseName(target, "the name of a function") ||
      in.expect(";", "after '.alias'"))
    return true;
  for (StringRef each : {name, target}) {
    const Entity *entity = symbols.find(each);
    if (!entity || entity->symbol != SymbolKind::Function)
      return in.fail("'" + each + "' is no function that is declared", line);
  }
  Function &alias = symbols.module.functions[symbols.find(name)->index];
  const Function &aliasee =
      symbols.module.functions[symbols.find(target)->index];
  if (alias.isDefinition || alias.isEntry || !alias.aliasOf.empty())
    return in.fail("'" + name + "' is defined already", line);
  if (!aliasee.isDefinition || aliasee.isEntry)
    return in.fail("'" + target + "' is no function that is defined", line);
  alias.aliasOf = target;
  return false;
}

llvm::Expected<std::unique_ptr<Module>> tcgemm::ptx::parse(StringRef text) {
  if (text.size() > kMaxText)
    return llvm::createStringError("line 1: the text is over the limit of " +
                                   Twine(kMaxText) + " bytes");
  auto module = std::make_unique<Module>();
  module->text = text.str();
  ModuleParser parser(*module);
  if (parser.parse())
    return llvm::createStringError(parser.getError());
  return module;
}
