//===- BodyParser.cpp - Parser of function bodies -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/BodyParser.h"
#include "Ptx/Limits.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

bool BodyParser::parse() {
  while (true) {
    if (in.token().isOperator("{")) {
      if (pending.getDepth() == kMaxScopes)
        return in.fail("scopes are nested deeper than " + Twine(kMaxScopes));
      in.advance();
      pending.enter();
    } else if (in.consume("}")) {
      if (pending.leave())
        return true;
      if (pending.getDepth() == 0)
        return false;
    } else if (parseStatement()) {
      return true;
    }
  }
}

bool BodyParser::parseStatement() {
  if (in.token().is(Kind::DotWord)) {
    if (in.token().isDotWord("reg"))
      return parseRegisters();
    if (variables.isSpaceWord())
      return variables.parseVariables(/*isExtern=*/false);
    if (in.token().isDotWord("loc"))
      return directives.parseLoc();
    if (in.token().isDotWord("file"))
      return directives.parseFile();
    if (in.token().isDotWord("pragma"))
      return directives.parsePragma();
  }
  std::optional<Guard> guard;
  if (in.consume("@") && parseGuard(guard))
    return true;
  if (!in.token().is(Kind::Identifier) || !llvm::isAlpha(in.token().text[0]))
    if (guard || !in.token().is(Kind::Identifier) || in.token().text == "_")
      return in.failExpected(guard ? "an instruction" : "a statement or '}'");
  Token first = in.token();
  in.advance();
  if (!guard && in.consume(":"))
    return parseLabel(first.text, first.line);
  if (!llvm::isAlpha(first.text[0]))
    return in.failExpected("':' after a label");
  return parseInstruction(guard, first);
}

bool BodyParser::parseRegisters() {
  in.advance();
  Type type = Type::None;
  uint8_t width = 1;
  if (variables.parseTypeAndWidth(type, width))
    return true;
  do {
    StringRef name;
    uint32_t line = in.token().line;
    if (in.parseName(name, "the name of a register"))
      return true;
    if (!in.consume("<")) {
      if (symbols.addRegister(type, width, name, line))
        return true;
      continue;
    }
    uint64_t count = 0;
    if (constants.parseCount(count, kMaxRegisters, "the count of registers") ||
        in.expect(">", "after a count of registers") ||
        symbols.addRegisters(type, width, name, count, line))
      return true;
  } while (in.consume(","));
  return in.expect(";", "after registers");
}

bool BodyParser::parseLabel(StringRef name, uint32_t line) {
  if (in.token().isDotWord("branchtargets") ||
      in.token().isDotWord("calltargets") ||
      in.token().isDotWord("callprototype"))
    return parseBranchTable(name, line);
  Entity entity;
  entity.symbol = SymbolKind::Label;
  entity.index = symbols.function().labels.size();
  if (symbols.declare(name, entity, line))
    return true;
  uint32_t at = symbols.function().instructions.size();
  symbols.function().labels.push_back({entity.name, at});
  return false;
}

bool BodyParser::parseGuard(std::optional<Guard> &guard) {
  guard.emplace();
  guard->negated = in.consume("!");
  const Entity *entity =
      in.token().is(Kind::Identifier) ? symbols.find(in.token().text) : nullptr;
  if (in.token().is(Kind::Identifier) && !entity)
    return in.fail("'" + in.token().text + "' is not declared");
  if (!entity || entity->symbol != SymbolKind::None || entity->width != 1 ||
      symbols.function().registers[entity->index].type != Type::Pred)
    return in.failExpected("a predicate after '@'");
  guard->reg = entity->index;
  in.advance();
  return false;
}

bool BodyParser::parseInstruction(std::optional<Guard> guard,
                                  const Token &opcode) {
  if (in.spend(kNodesOfInstruction))
    return true;
  Instruction instruction;
  instruction.opcode = opcode.text;
  instruction.guard = guard;
  instruction.line = opcode.line;
  for (; in.token().is(Kind::DotWord); in.advance())
    instruction.modifiers.push_back(in.token().text);
  if (operands.parse(instruction))
    return true;
  if (in.expect(";", instruction.operands.empty() ? "after an instruction"
                                                  : "after operands"))
    return true;
  symbols.function().instructions.push_back(std::move(instruction));
  return false;
}

bool BodyParser::parseBranchTable(StringRef name, uint32_t line) {
  BranchTable table;
  uint32_t index = symbols.function().branchTables.size();
  Entity entity;
  entity.symbol = SymbolKind::Table;
  entity.index = index;
  if (symbols.declare(name, entity, line))
    return true;
  table.name = entity.name;
  if (in.consumeWord("callprototype")) {
    table.kind = BranchTable::Kind::Prototype;
    if (parsePrototype(table))
      return true;
  } else {
    table.kind = in.token().isDotWord("calltargets")
                     ? BranchTable::Kind::Calls
                     : BranchTable::Kind::Branches;
    in.advance();
    if (parseTargets(table, index))
      return true;
  }
  symbols.function().branchTables.push_back(std::move(table));
  return in.expect(";", "after a table");
}

bool BodyParser::parseTargets(BranchTable &table, uint32_t index) {
  bool isCalls = table.kind == BranchTable::Kind::Calls;
  do {
    StringRef target;
    uint32_t targetLine = in.token().line;
    if (in.parseName(target, isCalls ? "a function" : "a label") || in.spend(1))
      return true;
    uint32_t number = table.targets.size();
    table.targets.push_back(target);
    table.indices.push_back(0);
    if (!isCalls) {
      pending.add({target, targetLine, /*isTable=*/true,
                   /*isLabel=*/true, index, number});
      continue;
    }
    const Entity *callee = symbols.find(target);
    if (!callee || callee->symbol != SymbolKind::Function)
      return in.fail("'" + target + "' is no function that is declared",
                     targetLine);
    table.indices.back() = callee->index;
  } while (in.consume(","));
  return false;
}

bool BodyParser::parsePrototype(BranchTable &table) {
  if (in.consume("(") &&
      variables.parseParams(table.results, /*isPrototype=*/true,
                            /*mayBeUnsized=*/false))
    return true;
  if (!in.token().is(Kind::Identifier))
    return in.failExpected("'_' in place of a function's name");
  in.advance();
  if (in.consume("(") &&
      variables.parseParams(table.params, /*isPrototype=*/true,
                            /*mayBeUnsized=*/true))
    return true;
  uint64_t ignored = 0;
  while (in.token().is(Kind::DotWord)) {
    if (in.consumeWord("noreturn"))
      continue;
    if (!in.consumeWord("abi_preserve") &&
        !in.consumeWord("abi_preserve_control"))
      return in.failExpected("';' after a prototype");
    if (constants.parseCount(ignored, INT32_MAX, "a number of registers"))
      return true;
  }
  return false;
}
