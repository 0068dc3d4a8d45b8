//===- Parser.cpp - Parser of PTX modules ---------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Tokens and errors
//===----------------------------------------------------------------------===//

bool Parser::fail(const Twine &what, uint32_t line) {
  // The first error tells; what follows it is its consequence.
  if (!error.empty())
    return true;
  // A token that could not be read is the better reason.
  if (token.is(Kind::Invalid))
    error = ("line " + Twine(token.line) + ": " + token.text).str();
  else
    error = ("line " + Twine(line ? line : token.line) + ": " + what).str();
  return true;
}

bool Parser::failExpected(const Twine &what) {
  if (token.is(Kind::End))
    return fail("expected " + what + ", found the end");
  StringRef dot = token.is(Kind::DotWord) ? "." : "";
  StringRef quote = token.is(Kind::String) ? "\"" : "";
  return fail("expected " + what + ", found '" + dot + quote +
              token.text.take_front(64) + quote + "'");
}

bool Parser::consume(StringRef op) {
  if (!token.isOperator(op))
    return false;
  advance();
  return true;
}

bool Parser::consumeWord(StringRef dotWord) {
  if (!token.isDotWord(dotWord))
    return false;
  advance();
  return true;
}

bool Parser::expect(StringRef op, const Twine &where) {
  if (consume(op))
    return false;
  return failExpected("'" + op + "' " + where);
}

bool Parser::parseName(StringRef &name, const Twine &what) {
  if (!token.is(Kind::Identifier) || token.text == "_")
    return failExpected(what);
  name = token.text;
  advance();
  return false;
}

bool Parser::parseCount(uint64_t &value, uint64_t limit, const Twine &what) {
  if (!token.is(Kind::Number))
    return failExpected(what);
  Constant constant;
  uint32_t line = token.line;
  if (parseNumber(constant))
    return true;
  if (constant.isFloat())
    return fail("expected " + what + ", found a floating-point number", line);
  if (constant.bits > limit)
    return fail(what + " is over the limit of " + Twine(limit), line);
  value = constant.bits;
  return false;
}

bool Parser::spend(uint64_t count) {
  nodes += count;
  if (nodes <= kMaxNodes)
    return false;
  return fail("the module is too large: over the limit of " + Twine(kMaxNodes) +
              " operands, a name counting as " + Twine(kNodesOfName) +
              " and an instruction as " + Twine(kNodesOfInstruction));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef Parser::keep(std::string name) {
  module.generatedNames.push_back(
      std::make_unique<std::string>(std::move(name)));
  return *module.generatedNames.back();
}

/// '#' is in no name as PTX writes them.
StringRef Parser::makeUnique(StringRef name) {
  unsigned &count = uses[name];
  if (++count == 1 && !scopes.find(name))
    return name;
  count = std::max(count, 2u);
  return keep((name + "#" + Twine(count)).str());
}

bool Parser::declare(StringRef name, Entity &entity, uint32_t line) {
  if (scopes.findHere(name))
    return fail("'" + name + "' is declared already", line);
  if (name == "WARP_SZ")
    return fail("'WARP_SZ' is a constant", line);
  if (spend(kNodesOfName))
    return true;
  if (entity.name.empty())
    entity.name = function ? makeUnique(name) : name;
  scopes.declare(name, entity);
  return false;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

bool Parser::parseHeader() {
  if (!consumeWord("version"))
    return failExpected("'.version' at the start of a module");
  auto [major, minor] = token.text.split('.');
  if (!token.is(Kind::Number) || major.getAsInteger(10, module.versionMajor) ||
      minor.getAsInteger(10, module.versionMinor))
    return failExpected("a version such as 8.0");
  advance();
  if (!consumeWord("target"))
    return failExpected("'.target' after '.version'");
  if (parseName(module.target, "a target such as sm_90"))
    return true;
  // Such as `debug` and `texmode_independent`.
  while (consume(","))
    if (StringRef option; parseName(option, "an option of the target"))
      return true;
  if (!consumeWord("address_size"))
    return false;
  uint64_t bits = 0;
  uint32_t line = token.line;
  if (parseCount(bits, 64, "the size of addresses"))
    return true;
  return bits != 64 && fail("addresses must have 64 bits", line);
}

bool Parser::parseModule() {
  if (parseHeader())
    return true;
  while (!token.is(Kind::End))
    if (parseModuleItem())
      return true;
  return false;
}

bool Parser::parseModuleItem() {
  bool isExtern = false;
  bool hasLinkage = false;
  if (token.isDotWord("extern") || token.isDotWord("visible") ||
      token.isDotWord("weak") || token.isDotWord("common")) {
    hasLinkage = true;
    isExtern = token.text == "extern";
    advance();
  }
  if (token.isDotWord("func") || token.isDotWord("entry"))
    return parseFunction(isExtern);
  if (isSpaceWord())
    return parseVariables(isExtern);
  if (hasLinkage)
    return failExpected("a variable or a function after its linkage");
  if (token.isDotWord("file"))
    return parseFile();
  if (token.isDotWord("loc"))
    return parseLoc();
  if (token.isDotWord("section"))
    return parseSection();
  if (token.isDotWord("pragma"))
    return parsePragma();
  if (token.isDotWord("alias"))
    return parseAlias();
  return failExpected("a variable or a function");
}

bool Parser::parseFile() {
  advance();
  uint64_t number = 0;
  if (parseCount(number, UINT32_MAX, "the number of a file"))
    return true;
  if (!token.is(Kind::String))
    return failExpected("the name of a file");
  advance();
  // The time of its last change, and its size.
  for (int i = 0; i != 2 && consume(","); ++i)
    if (parseCount(number, UINT64_MAX, "a number"))
      return true;
  return false;
}

bool Parser::parseLoc() {
  advance();
  uint64_t number = 0;
  for (StringRef what : {"the number of a file", "a line", "a column"})
    if (parseCount(number, UINT32_MAX, what))
      return true;
  if (!consume(","))
    return false;
  // `, function_name LABEL[+4], inlined_at 1 2 3`; the label is of a debug
  // section, which is not read.
  if (!token.is(Kind::Identifier) || token.text != "function_name")
    return failExpected("'function_name'");
  advance();
  if (!token.is(Kind::Identifier) && !token.is(Kind::DotWord))
    return failExpected("the label of a function's name");
  advance();
  if (consume("+") && parseCount(number, UINT32_MAX, "an offset"))
    return true;
  if (expect(",", "before 'inlined_at'"))
    return true;
  if (!token.is(Kind::Identifier) || token.text != "inlined_at")
    return failExpected("'inlined_at'");
  advance();
  for (StringRef what : {"the number of a file", "a line", "a column"})
    if (parseCount(number, UINT32_MAX, what))
      return true;
  return false;
}

bool Parser::parseSection() {
  advance();
  if (!token.is(Kind::DotWord) && !token.is(Kind::Identifier))
    return failExpected("the name of a section");
  advance();
  uint32_t line = token.line;
  if (expect("{", "before a section's contents"))
    return true;
  while (!token.isOperator("}")) {
    if (token.is(Kind::End) || token.is(Kind::Invalid) || token.isOperator("{"))
      return fail("the section that starts here does not end", line);
    advance();
  }
  advance();
  return false;
}

bool Parser::parsePragma() {
  advance();
  do {
    if (!token.is(Kind::String))
      return failExpected("a string after '.pragma'");
    advance();
  } while (consume(","));
  return expect(";", "after '.pragma'");
}

bool Parser::parseAlias() {
  advance();
  StringRef name, target;
  uint32_t line = token.line;
  if (parseName(name, "the name of an alias") ||
      expect(",", "after an alias's name") ||
      parseName(target, "the name of a function") ||
      expect(";", "after '.alias'"))
    return true;
  for (StringRef each : {name, target}) {
    const Entity *entity = scopes.find(each);
    if (!entity || entity->symbol != SymbolKind::Function)
      return fail("'" + each + "' is no function that is declared", line);
  }
  Function &alias = module.functions[scopes.find(name)->index];
  const Function &aliasee = module.functions[scopes.find(target)->index];
  if (alias.isDefinition || alias.isEntry || !alias.aliasOf.empty())
    return fail("'" + name + "' is defined already", line);
  if (!aliasee.isDefinition || aliasee.isEntry)
    return fail("'" + target + "' is no function that is defined", line);
  alias.aliasOf = target;
  return false;
}

bool Parser::parseAttributes() {
  while (consumeWord("attribute")) {
    if (expect("(", "after '.attribute'"))
      return true;
    while (!consume(")")) {
      if (!token.is(Kind::DotWord) && !token.is(Kind::Number) &&
          !token.isOperator(",") && !token.isOperator("("))
        return failExpected("')' after attributes");
      // `.unified(1, 2)`
      bool isOpen = token.isOperator("(");
      advance();
      if (!isOpen)
        continue;
      while (token.is(Kind::Number) || token.isOperator(","))
        advance();
      if (expect(")", "after an attribute's numbers"))
        return true;
    }
  }
  return false;
}

llvm::Expected<std::unique_ptr<Module>> tcgemm::ptx::parse(StringRef text) {
  if (text.size() > kMaxText)
    return llvm::createStringError("line 1: the text is over the limit of " +
                                   Twine(kMaxText) + " bytes");
  auto module = std::make_unique<Module>();
  module->text = text.str();
  Parser parser(*module);
  if (parser.parseModule())
    return llvm::createStringError(parser.getError());
  return module;
}
