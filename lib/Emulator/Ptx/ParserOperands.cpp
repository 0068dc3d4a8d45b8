//===- ParserOperands.cpp - Parser of operands ----------------------------===//
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

bool Parser::parseOperand(Operand &operand, unsigned depth) {
  if (depth > kMaxOperandNesting)
    return fail("operands are nested deeper than " + Twine(kMaxOperandNesting));
  if (spend(1))
    return true;
  if (consume("["))
    return parseAddress(operand, depth);
  if (consume("{")) {
    operand.kind = Operand::Kind::Vector;
    return parseElements(operand, "}", depth);
  }
  // Elsewhere it starts an expression.
  if (isCall && depth == 0 && consume("(")) {
    operand.kind = Operand::Kind::List;
    return parseElements(operand, ")", depth);
  }
  if (token.isOperator("!") && peek().is(Kind::Identifier) &&
      peek().text != "WARP_SZ") {
    advance();
    uint32_t line = token.line;
    if (parseNamed(operand, depth))
      return true;
    if (operand.kind != Operand::Kind::Register ||
        function->registers[operand.reg].type != Type::Pred)
      return fail("'!' needs a predicate", line);
    operand.negated = true;
    return false;
  }
  if (token.is(Kind::Identifier) && token.text != "WARP_SZ")
    return parseNamed(operand, depth);
  bool isOperator = token.is(Kind::Operator) && token.text.size() == 1 &&
                    StringRef("(+-!~").contains(token.text);
  if (!token.is(Kind::Number) && !token.is(Kind::Identifier) && !isOperator)
    return failExpected("an operand");
  Constant value;
  if (parseConstant(value))
    return true;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = value.bits;
  operand.isFloat = value.isFloat();
  return false;
}

bool Parser::parseNamed(Operand &operand, unsigned depth) {
  if (token.text == "_") {
    operand.kind = Operand::Kind::Sink;
    advance();
    return token.isOperator("|") && parsePair(operand);
  }
  const Entity *entity = scopes.find(token.text);
  if (entity && entity->symbol == SymbolKind::None)
    return parseRegister(operand, *entity);
  if (!entity && token.text.starts_with("%")) {
    operand.kind = Operand::Kind::Special;
    operand.name = token.text;
    uint32_t line = token.line;
    Token word = peek();
    // A component is part of the name, and so written without a space.
    if (word.is(Kind::DotWord) && word.text.data() == token.text.end() + 1) {
      operand.name = StringRef(token.text.data(),
                               token.text.size() + 1 + word.text.size());
      advance();
    }
    advance();
    return !isSpecialRegister(operand.name) &&
           fail("'" + operand.name + "' is not declared", line);
  }
  return parseSymbol(operand, entity, depth);
}

/// `b0` to `b7654`, `h0` to `h32`: parts of the registers of a video
/// instruction.
static bool isSelector(StringRef name) {
  size_t most = name.starts_with("b") ? 4 : name.starts_with("h") ? 2 : 0;
  return name.size() > 1 && name.size() <= 1 + most &&
         llvm::all_of(name.drop_front(),
                      [](char c) { return c >= '0' && c <= '7'; });
}

bool Parser::parseRegister(Operand &operand, const Entity &entity) {
  operand.kind = Operand::Kind::Register;
  operand.reg = entity.index;
  operand.name = entity.name;
  StringRef name = token.text;
  advance();
  if (token.is(Kind::DotWord) && entity.width == 1 && isSelector(token.text)) {
    operand.selector = token.text;
    advance();
    return false;
  }
  if (token.is(Kind::DotWord)) {
    size_t component = token.text.size() == 1
                           ? StringRef("xyzwrgba").find(token.text[0]) % 4
                           : entity.width;
    if (entity.width == 1 || component >= entity.width ||
        !StringRef("xyzwrgba").contains(token.text))
      return fail("'" + name + "' has no component '" + token.text + "'");
    operand.reg += component;
    operand.name = function->registers[operand.reg].name;
    advance();
  } else if (entity.width != 1) {
    operand.kind = Operand::Kind::Vector;
    operand.elements.resize(entity.width);
    for (unsigned i = 0; i != entity.width; ++i) {
      Operand &element = operand.elements[i];
      element.kind = Operand::Kind::Register;
      element.reg = entity.index + i;
      element.name = function->registers[element.reg].name;
    }
    return spend(entity.width);
  }
  return token.isOperator("|") && parsePair(operand);
}

/// What follows `d` in `d|p`.
bool Parser::parsePair(Operand &operand) {
  advance();
  std::vector<Operand> elements(2);
  elements[0] = std::move(operand);
  Operand &second = elements[1];
  uint32_t line = token.line;
  if (!token.is(Kind::Identifier))
    return failExpected("a register after '|'");
  if (token.text == "_") {
    advance();
  } else {
    const Entity *entity = scopes.find(token.text);
    if (!entity)
      return fail("'" + token.text + "' is not declared", line);
    if (entity->symbol != SymbolKind::None || entity->width != 1)
      return failExpected("a register after '|'");
    second.kind = Operand::Kind::Register;
    second.reg = entity->index;
    second.name = entity->name;
    advance();
  }
  operand = Operand();
  operand.kind = Operand::Kind::Pair;
  operand.elements = std::move(elements);
  return spend(2);
}

bool Parser::parseSymbol(Operand &operand, const Entity *entity,
                         unsigned depth) {
  operand.kind = Operand::Kind::Symbol;
  operand.name = token.text;
  uint32_t line = token.line;
  // A label may follow, even one that hides what the name stands for now.
  bool mayFollow = depth == 0;
  if (!entity && !mayFollow)
    return fail("'" + token.text + "' is not declared", line);
  advance();
  if (!entity || isBranch) {
    // The operand is the next one of the instruction that is next.
    uint32_t index = function->instructions.size();
    pending.back().push_back({operand.name, line, /*isTable=*/false, isBranch,
                              index, operandNumber});
    return spend(1);
  }
  operand.symbol = entity->symbol;
  operand.index = entity->index;
  operand.name = entity->name;
  if (token.isOperator("["))
    return parseIndex(operand);
  // In an address the offset is the address's.
  return depth == 0 && parseOffset(operand.offset);
}

/// `tab[1]` is an address, and what is there for all but mov.
bool Parser::parseIndex(Operand &operand) {
  const std::vector<Variable> *list =
      operand.symbol == SymbolKind::Variable ? &module.variables
      : operand.symbol == SymbolKind::Local  ? &function->variables
                                             : nullptr;
  if (!list)
    return fail("'" + operand.name + "' is no array");
  advance();
  if (token.is(Kind::Identifier) && token.text != "WARP_SZ")
    return failExpected("a constant index");
  Constant index;
  if (parseIntegerConstant(index, "an index") ||
      expect("]", "after an index") || spend(1))
    return true;
  const Variable &variable = (*list)[operand.index];
  uint64_t bytes = uint64_t(getBitWidth(variable.type) / 8) * variable.width;
  auto offset = static_cast<int64_t>(index.bits * bytes);
  if (isMove) {
    operand.offset = offset;
    return false;
  }
  Operand address;
  address.kind = Operand::Kind::Address;
  address.offset = offset;
  address.elements.push_back(std::move(operand));
  operand = std::move(address);
  return false;
}

bool Parser::parseOffset(int64_t &offset) {
  uint64_t sum = 0;
  while (token.isOperator("+") || token.isOperator("-")) {
    bool isMinus = token.isOperator("-");
    advance();
    Constant term;
    uint32_t line = token.line;
    // Stronger than + and -, which this loop takes.
    constexpr unsigned kProduct = 10;
    if (parseBinary(term, kProduct))
      return true;
    if (term.isFloat())
      return fail("an offset must be an integer", line);
    sum += isMinus ? -term.bits : term.bits;
  }
  offset = static_cast<int64_t>(sum);
  return false;
}

bool Parser::parseAddress(Operand &operand, unsigned depth) {
  operand.kind = Operand::Kind::Address;
  uint32_t line = token.line;
  Operand &base = operand.elements.emplace_back();
  if (parseOperand(base, depth + 1))
    return true;
  bool isBase = base.kind == Operand::Kind::Register ||
                base.kind == Operand::Kind::Symbol ||
                (base.kind == Operand::Kind::Immediate && !base.isFloat);
  if (!isBase)
    return fail("an address must be a register, a variable or an integer",
                line);
  if (base.negated)
    return fail("an address cannot be negated", line);
  if (parseOffset(operand.offset))
    return true;
  while (consume(","))
    if (parseElement(operand, depth))
      return true;
  return expect("]", "after an address");
}

bool Parser::parseElement(Operand &operand, unsigned depth) {
  Operand &element = operand.elements.emplace_back();
  if (parseOperand(element, depth + 1))
    return true;
  return element.kind == Operand::Kind::Symbol && parseOffset(element.offset);
}

bool Parser::parseElements(Operand &operand, StringRef close, unsigned depth) {
  StringRef what = close == "}" ? "after a vector" : "after a list";
  // `()` is a call without arguments, while `{}` is nothing.
  if (operand.kind == Operand::Kind::List && consume(close))
    return false;
  do {
    if (parseElement(operand, depth))
      return true;
  } while (consume(","));
  return expect(close, what);
}
