//===- ParserBodies.cpp - Parser of function bodies -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

bool Parser::parseBody() {
  while (true) {
    if (token.isOperator("{")) {
      if (pending.size() == kMaxScopes)
        return fail("scopes are nested deeper than " + Twine(kMaxScopes));
      advance();
      scopes.enter();
      pending.emplace_back();
    } else if (consume("}")) {
      if (resolvePending())
        return true;
      scopes.leave();
      pending.pop_back();
      if (pending.empty())
        return false;
    } else if (parseStatement()) {
      return true;
    }
  }
}

bool Parser::resolvePending() {
  std::vector<PendingName> *outer =
      pending.size() > 1 ? &pending[pending.size() - 2] : nullptr;
  for (const PendingName &use : pending.back()) {
    const Entity *entity = scopes.findHere(use.name);
    bool isLabel = entity && entity->symbol == SymbolKind::Label;
    bool isFound = isLabel || (entity && !use.isLabel &&
                               entity->symbol == SymbolKind::Table);
    if (!isFound && outer) {
      outer->push_back(use);
    } else if (!isFound) {
      return fail((use.isLabel ? "the label '" : "'") + use.name +
                      "' is not declared",
                  use.line);
    } else if (use.isTable) {
      BranchTable &table = function->branchTables[use.index];
      table.targets[use.element] = entity->name;
      table.indices[use.element] = entity->index;
    } else {
      Operand &operand =
          function->instructions[use.index].operands[use.element];
      operand.symbol = entity->symbol;
      operand.index = entity->index;
      operand.name = entity->name;
    }
  }
  return false;
}

bool Parser::parseStatement() {
  if (token.is(Kind::DotWord)) {
    if (token.isDotWord("reg"))
      return parseRegisters();
    if (isSpaceWord())
      return parseVariables(/*isExtern=*/false);
    if (token.isDotWord("loc"))
      return parseLoc();
    if (token.isDotWord("file"))
      return parseFile();
    if (token.isDotWord("pragma"))
      return parsePragma();
  }
  std::optional<Guard> guard;
  if (consume("@") && parseGuard(guard))
    return true;
  if (!token.is(Kind::Identifier) || !llvm::isAlpha(token.text[0]))
    if (guard || !token.is(Kind::Identifier) || token.text == "_")
      return failExpected(guard ? "an instruction" : "a statement or '}'");
  Token first = token;
  advance();
  if (!guard && consume(":"))
    return parseLabel(first.text, first.line);
  if (!llvm::isAlpha(first.text[0]))
    return failExpected("':' after a label");
  return parseInstruction(guard, first);
}

bool Parser::parseLabel(StringRef name, uint32_t line) {
  if (token.isDotWord("branchtargets") || token.isDotWord("calltargets") ||
      token.isDotWord("callprototype"))
    return parseBranchTable(name, line);
  Entity entity;
  entity.symbol = SymbolKind::Label;
  entity.index = function->labels.size();
  if (declare(name, entity, line))
    return true;
  uint32_t at = function->instructions.size();
  function->labels.push_back({entity.name, at});
  return false;
}

bool Parser::parseRegisters() {
  advance();
  Type type = Type::None;
  uint8_t width = 1;
  if (parseTypeAndWidth(type, width))
    return true;
  do {
    StringRef name;
    uint32_t line = token.line;
    if (parseName(name, "the name of a register"))
      return true;
    if (!consume("<")) {
      if (addRegister(type, width, name, line))
        return true;
      continue;
    }
    uint64_t count = 0;
    if (parseCount(count, kMaxRegisters, "the count of registers") ||
        expect(">", "after a count of registers") ||
        addRegisters(type, width, name, count, line))
      return true;
  } while (consume(","));
  return expect(";", "after registers");
}

/// `%r<13>` is `%r0` to `%r12`.
bool Parser::addRegisters(Type type, unsigned width, StringRef name,
                          uint64_t count, uint32_t line) {
  // A long name costs its length each time.
  if (spend(count * (name.size() / 64)))
    return true;
  std::string names;
  std::vector<size_t> ends;
  ends.reserve(count);
  names.reserve(count * (name.size() + 6));
  for (uint64_t i = 0; i != count; ++i) {
    names += name;
    names += llvm::utostr(i);
    ends.push_back(names.size());
  }
  StringRef kept = keep(std::move(names));
  size_t start = 0;
  function->registers.reserve(function->registers.size() + count * width);
  for (size_t end : ends) {
    if (addRegister(type, width, kept.slice(start, end), line))
      return true;
    start = end;
  }
  return false;
}

bool Parser::addRegister(Type type, unsigned width, StringRef name,
                         uint32_t line) {
  if (function->registers.size() + width > kMaxRegisters)
    return fail("registers are over the limit of " + Twine(kMaxRegisters) +
                    " of a function",
                line);
  Entity entity;
  entity.width = width;
  entity.index = function->registers.size();
  if (declare(name, entity, line))
    return true;
  if (width == 1) {
    function->registers.push_back({type, entity.name});
    return false;
  }
  for (char component : StringRef("xyzw").take_front(width))
    function->registers.push_back(
        {type, keep((entity.name + "." + Twine(component)).str())});
  return spend(width);
}

bool Parser::parseGuard(std::optional<Guard> &guard) {
  guard.emplace();
  guard->negated = consume("!");
  const Entity *entity =
      token.is(Kind::Identifier) ? scopes.find(token.text) : nullptr;
  if (token.is(Kind::Identifier) && !entity)
    return fail("'" + token.text + "' is not declared");
  if (!entity || entity->symbol != SymbolKind::None || entity->width != 1 ||
      function->registers[entity->index].type != Type::Pred)
    return failExpected("a predicate after '@'");
  guard->reg = entity->index;
  advance();
  return false;
}

bool Parser::parseInstruction(std::optional<Guard> guard, const Token &opcode) {
  if (spend(kNodesOfInstruction))
    return true;
  Instruction instruction;
  instruction.opcode = opcode.text;
  instruction.guard = guard;
  instruction.line = opcode.line;
  for (; token.is(Kind::DotWord); advance())
    instruction.modifiers.push_back(token.text);
  isMove = opcode.text == "mov";
  isCall = opcode.text == "call";
  isBranch = opcode.text == "bra";
  operandNumber = 0;
  if (!token.isOperator(";")) {
    do {
      if (parseOperand(instruction.operands.emplace_back(), /*depth=*/0))
        return true;
      ++operandNumber;
    } while (consume(","));
  }
  if (expect(";", instruction.operands.empty() ? "after an instruction"
                                               : "after operands"))
    return true;
  function->instructions.push_back(std::move(instruction));
  return false;
}
