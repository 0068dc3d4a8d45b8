//===- FunctionParser.cpp - Parser of functions ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/FunctionParser.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

bool FunctionParser::parse(bool isExtern) {
  Function current;
  if (parseHeader(current))
    return true;
  current.isDefinition = in.token().isOperator("{");
  if (current.isDefinition && isExtern)
    return in.fail("a function that is defined cannot be .extern");
  uint32_t index = 0;
  if (declareFunction(current, index))
    return true;
  if (!current.isDefinition) {
    if (in.expect(";", "or a body after a function's head"))
      return true;
    // The definition may come before a declaration.
    if (!symbols.module.functions[index].isDefinition)
      symbols.module.functions[index] = std::move(current);
    return false;
  }
  in.advance();
  symbols.enterFunction(current);
  body.enter();
  if (declareParams(current) || body.parse())
    return true;
  symbols.leaveFunction();
  symbols.module.functions[index] = std::move(current);
  return false;
}

bool FunctionParser::parseHeader(Function &header) {
  header.isEntry = in.token().isDotWord("entry");
  header.line = in.token().line;
  in.advance();
  if (directives.parseAttributes())
    return true;
  if (!header.isEntry && in.consume("(") &&
      variables.parseParams(header.results, /*isPrototype=*/false,
                            /*mayBeUnsized=*/false))
    return true;
  if (in.parseName(header.name, "the name of a function"))
    return true;
  if (in.consume("(") &&
      variables.parseParams(header.params, /*isPrototype=*/false,
                            /*mayBeUnsized=*/!header.isEntry))
    return true;
  for (const Variable &param : header.params)
    if (header.isEntry && param.space != Space::Param)
      return in.fail("a kernel's parameters must be in .param", param.line);
  while (in.token().is(Kind::DotWord))
    if (parseDirective(header))
      return true;
  return false;
}

bool FunctionParser::parseDirective(Function &header) {
  StringRef word = in.token().text;
  if (word == "pragma")
    return directives.parsePragma();
  if (in.consumeWord("noreturn"))
    return false;
  uint64_t ignored = 0;
  if (in.consumeWord("abi_preserve") || in.consumeWord("abi_preserve_control"))
    return constants.parseCount(ignored, INT32_MAX, "a number of registers");
  if (!header.isEntry)
    return in.failExpected("a directive of functions, a body or ';'");
  return parseKernelDirective(header);
}

bool FunctionParser::parseKernelDirective(Function &header) {
  StringRef word = in.token().text;
  uint64_t ignored = 0;
  if (word == "maxntid")
    return parseThreads(header.maxThreads);
  if (word == "reqntid")
    return parseThreads(header.requiredThreads);
  if (word == "reqnctapercluster")
    return parseThreads(header.requiredCluster);
  if (in.consumeWord("explicitcluster") || in.consumeWord("blocksareclusters"))
    return false;
  if (in.consumeWord("minnctapersm"))
    return constants.parseCount(header.minBlocks, INT32_MAX,
                                "a number after '.minnctapersm'");
  // These concern speed only.
  for (StringRef hint : {"maxnctapersm", "maxnreg", "maxclusterrank"})
    if (in.consumeWord(hint))
      return constants.parseCount(ignored, INT32_MAX,
                                  "a number after '." + hint + "'");
  return in.failExpected("a directive of kernels, a body or ';'");
}

bool FunctionParser::parseThreads(std::array<uint32_t, 3> &counts) {
  in.advance();
  counts = {1, 1, 1};
  size_t i = 0;
  do {
    uint64_t count = 0;
    uint32_t line = in.token().line;
    if (i == counts.size())
      return in.fail("there are three dimensions at most");
    if (constants.parseCount(count, INT32_MAX, "a number of threads or blocks"))
      return true;
    if (count == 0)
      return in.fail("a number of threads or blocks is zero", line);
    counts[i++] = static_cast<uint32_t>(count);
  } while (in.consume(","));
  return false;
}

bool FunctionParser::declareFunction(const Function &header, uint32_t &index) {
  const Entity *before = symbols.find(header.name);
  if (before && before->symbol == SymbolKind::Function) {
    index = before->index;
    const Function &old = symbols.module.functions[index];
    if (header.isDefinition && (old.isDefinition || !old.aliasOf.empty()))
      return in.fail("'" + header.name + "' is defined already", header.line);
    if (old.isEntry != header.isEntry ||
        old.params.size() != header.params.size() ||
        old.results.size() != header.results.size())
      return in.fail("'" + header.name + "' was declared differently before",
                     header.line);
    return false;
  }
  Entity entity;
  entity.symbol = SymbolKind::Function;
  entity.index = index = symbols.module.functions.size();
  if (symbols.declare(header.name, entity, header.line))
    return true;
  // A body that calls itself needs the name. The rest follows.
  symbols.module.functions.emplace_back().name = header.name;
  return false;
}

bool FunctionParser::declareParams(Function &function) {
  for (SymbolKind kind : {SymbolKind::Param, SymbolKind::Result}) {
    bool isParam = kind == SymbolKind::Param;
    uint32_t index = 0;
    for (const Variable &param : isParam ? function.params : function.results) {
      if (param.space == Space::Reg) {
        if (symbols.addRegister(param.type, 1, param.name, param.line))
          return true;
        ++index;
        continue;
      }
      Entity entity;
      entity.symbol = kind;
      entity.index = index++;
      if (symbols.declareParam(param.name, entity, param.line))
        return true;
    }
  }
  return false;
}
