//===- ParserFunctions.cpp - Parser of functions --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

bool Parser::parseFunction(bool isExtern) {
  Function current;
  if (parseFunctionHeader(current))
    return true;
  current.isDefinition = token.isOperator("{");
  if (current.isDefinition && isExtern)
    return fail("a function that is defined cannot be .extern");
  uint32_t index = 0;
  if (declareFunction(current, index))
    return true;
  if (!current.isDefinition) {
    if (expect(";", "or a body after a function's head"))
      return true;
    // The definition may have come first.
    if (!module.functions[index].isDefinition)
      module.functions[index] = std::move(current);
    return false;
  }
  advance();
  function = &current;
  uses.clear();
  scopes.enter();
  pending.emplace_back();
  if (declareParams() || parseBody())
    return true;
  function = nullptr;
  module.functions[index] = std::move(current);
  return false;
}

bool Parser::parseFunctionHeader(Function &header) {
  header.isEntry = token.isDotWord("entry");
  header.line = token.line;
  advance();
  if (parseAttributes())
    return true;
  if (!header.isEntry && consume("(") &&
      parseParams(header.results, /*isPrototype=*/false,
                  /*mayBeUnsized=*/false))
    return true;
  if (parseName(header.name, "the name of a function"))
    return true;
  if (consume("(") && parseParams(header.params, /*isPrototype=*/false,
                                  /*mayBeUnsized=*/!header.isEntry))
    return true;
  for (const Variable &param : header.params)
    if (header.isEntry && param.space != Space::Param)
      return fail("a kernel's parameters must be in .param", param.line);
  while (token.is(Kind::DotWord))
    if (parseFunctionDirective(header))
      return true;
  return false;
}

bool Parser::parseThreads(std::array<uint32_t, 3> &counts) {
  advance();
  counts = {1, 1, 1};
  size_t i = 0;
  do {
    uint64_t count = 0;
    uint32_t line = token.line;
    if (i == counts.size())
      return fail("there are three dimensions at most");
    if (parseCount(count, INT32_MAX, "a number of threads or blocks"))
      return true;
    if (count == 0)
      return fail("a number of threads or blocks is zero", line);
    counts[i++] = static_cast<uint32_t>(count);
  } while (consume(","));
  return false;
}

bool Parser::parseFunctionDirective(Function &header) {
  StringRef word = token.text;
  if (word == "pragma")
    return parsePragma();
  if (consumeWord("noreturn"))
    return false;
  uint64_t ignored = 0;
  if (consumeWord("abi_preserve") || consumeWord("abi_preserve_control"))
    return parseCount(ignored, INT32_MAX, "a number of registers");
  if (!header.isEntry)
    return failExpected("a directive of functions, a body or ';'");
  if (word == "maxntid")
    return parseThreads(header.maxThreads);
  if (word == "reqntid")
    return parseThreads(header.requiredThreads);
  if (word == "reqnctapercluster")
    return parseThreads(header.requiredCluster);
  if (consumeWord("explicitcluster") || consumeWord("blocksareclusters"))
    return false;
  if (consumeWord("minnctapersm"))
    return parseCount(header.minBlocks, INT32_MAX,
                      "a number after '.minnctapersm'");
  // These tell of what is fast, not of what is computed.
  for (StringRef hint : {"maxnctapersm", "maxnreg", "maxclusterrank"})
    if (consumeWord(hint))
      return parseCount(ignored, INT32_MAX, "a number after '." + hint + "'");
  return failExpected("a directive of kernels, a body or ';'");
}

bool Parser::declareFunction(const Function &header, uint32_t &index) {
  const Entity *before = scopes.find(header.name);
  if (before && before->symbol == SymbolKind::Function) {
    index = before->index;
    const Function &old = module.functions[index];
    if (header.isDefinition && (old.isDefinition || !old.aliasOf.empty()))
      return fail("'" + header.name + "' is defined already", header.line);
    if (old.isEntry != header.isEntry ||
        old.params.size() != header.params.size() ||
        old.results.size() != header.results.size())
      return fail("'" + header.name + "' was declared differently before",
                  header.line);
    return false;
  }
  Entity entity;
  entity.symbol = SymbolKind::Function;
  entity.index = index = module.functions.size();
  if (declare(header.name, entity, header.line))
    return true;
  // What a body that calls itself needs; the rest follows.
  module.functions.emplace_back().name = header.name;
  return false;
}

/// Those in registers are variables and registers.
bool Parser::declareParams() {
  for (SymbolKind kind : {SymbolKind::Param, SymbolKind::Result}) {
    bool isParam = kind == SymbolKind::Param;
    uint32_t index = 0;
    for (const Variable &param :
         isParam ? function->params : function->results) {
      if (param.space == Space::Reg) {
        if (addRegister(param.type, 1, param.name, param.line))
          return true;
        ++index;
        continue;
      }
      Entity entity;
      entity.symbol = kind;
      entity.index = index++;
      // It may hide a name of the module, which is no reason to rename it.
      entity.name = param.name;
      ++uses[param.name];
      if (declare(param.name, entity, param.line))
        return true;
    }
  }
  return false;
}

bool Parser::parseBranchTable(StringRef name, uint32_t line) {
  BranchTable table;
  uint32_t index = function->branchTables.size();
  Entity entity;
  entity.symbol = SymbolKind::Table;
  entity.index = index;
  if (declare(name, entity, line))
    return true;
  table.name = entity.name;
  if (consumeWord("callprototype")) {
    table.kind = BranchTable::Kind::Prototype;
    if (parsePrototype(table))
      return true;
  } else {
    bool isCalls = token.isDotWord("calltargets");
    table.kind =
        isCalls ? BranchTable::Kind::Calls : BranchTable::Kind::Branches;
    advance();
    do {
      StringRef target;
      uint32_t targetLine = token.line;
      if (parseName(target, isCalls ? "a function" : "a label") || spend(1))
        return true;
      uint32_t number = table.targets.size();
      table.targets.push_back(target);
      table.indices.push_back(0);
      if (!isCalls) {
        pending.back().push_back({target, targetLine, /*isTable=*/true,
                                  /*isLabel=*/true, index, number});
        continue;
      }
      const Entity *callee = scopes.find(target);
      if (!callee || callee->symbol != SymbolKind::Function)
        return fail("'" + target + "' is no function that is declared",
                    targetLine);
      table.indices.back() = callee->index;
    } while (consume(","));
  }
  function->branchTables.push_back(std::move(table));
  return expect(";", "after a table");
}

bool Parser::parsePrototype(BranchTable &table) {
  if (consume("(") && parseParams(table.results, /*isPrototype=*/true,
                                  /*mayBeUnsized=*/false))
    return true;
  if (!token.is(Kind::Identifier))
    return failExpected("'_' in place of a function's name");
  advance();
  if (consume("(") && parseParams(table.params, /*isPrototype=*/true,
                                  /*mayBeUnsized=*/true))
    return true;
  uint64_t ignored = 0;
  while (token.is(Kind::DotWord)) {
    if (consumeWord("noreturn"))
      continue;
    if (!consumeWord("abi_preserve") && !consumeWord("abi_preserve_control"))
      return failExpected("';' after a prototype");
    if (parseCount(ignored, INT32_MAX, "a number of registers"))
      return true;
  }
  return false;
}
