//===- OperandParser.cpp - Parser of operands -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/OperandParser.h"
#include "Ptx/Limits.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

bool OperandParser::parse(Instruction &instruction) {
  isMove = instruction.opcode == "mov";
  isCall = instruction.opcode == "call";
  isBranch = instruction.opcode == "bra";
  operandNumber = 0;
  if (in.token().isOperator(";"))
    return false;
  do {
    if (parseOperand(instruction.operands.emplace_back(), /*depth=*/0))
      return true;
    ++operandNumber;
  } while (in.consume(","));
  return false;
}

bool OperandParser::parseOperand(Operand &operand, unsigned depth) {
  if (depth > kMaxOperandNesting)
    return in.fail("operands are nested deeper than " +
                   Twine(kMaxOperandNesting));
  if (in.spend(1))
    return true;
  if (in.consume("["))
    return parseAddress(operand, depth);
  if (in.consume("{")) {
    operand.kind = Operand::Kind::Vector;
    return parseElements(operand, "}", depth);
  }
  // In other instructions a parenthesis begins an expression.
  if (isCall && depth == 0 && in.consume("(")) {
    operand.kind = Operand::Kind::List;
    return parseElements(operand, ")", depth);
  }
  if (in.token().isOperator("!") && in.peek().is(Kind::Identifier) &&
      in.peek().text != "WARP_SZ") {
    in.advance();
    return parseNegated(operand, depth);
  }
  if (in.token().is(Kind::Identifier) && in.token().text != "WARP_SZ")
    return parseNamed(operand, depth);
  return parseImmediate(operand);
}

bool OperandParser::parseNegated(Operand &operand, unsigned depth) {
  uint32_t line = in.token().line;
  if (parseNamed(operand, depth))
    return true;
  if (operand.kind != Operand::Kind::Register ||
      symbols.function().registers[operand.reg].type != Type::Pred)
    return in.fail("'!' needs a predicate", line);
  operand.negated = true;
  return false;
}

bool OperandParser::parseImmediate(Operand &operand) {
  bool isOperator = in.token().is(Kind::Operator) &&
                    in.token().text.size() == 1 &&
                    StringRef("(+-!~").contains(in.token().text);
  if (!in.token().is(Kind::Number) && !in.token().is(Kind::Identifier) &&
      !isOperator)
    return in.failExpected("an operand");
  Constant value;
  if (constants.parse(value))
    return true;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = value.bits;
  operand.isFloat = value.isFloat();
  return false;
}

bool OperandParser::parseNamed(Operand &operand, unsigned depth) {
  if (in.token().text == "_") {
    operand.kind = Operand::Kind::Sink;
    in.advance();
    return in.token().isOperator("|") && parsePair(operand);
  }
  const Entity *entity = symbols.find(in.token().text);
  if (entity && entity->symbol == SymbolKind::None)
    return parseRegister(operand, *entity);
  if (!entity && in.token().text.starts_with("%"))
    return parseSpecial(operand);
  return parseSymbol(operand, entity, depth);
}

bool OperandParser::parseSpecial(Operand &operand) {
  operand.kind = Operand::Kind::Special;
  operand.name = in.token().text;
  uint32_t line = in.token().line;
  Token word = in.peek();
  // A component belongs to the name. There is no space before it.
  if (word.is(Kind::DotWord) && word.text.data() == in.token().text.end() + 1) {
    operand.name = StringRef(in.token().text.data(),
                             in.token().text.size() + 1 + word.text.size());
    in.advance();
  }
  in.advance();
  return !isSpecialRegister(operand.name) &&
         in.fail("'" + operand.name + "' is not declared", line);
}

/// `b0` to `b7654`, `h0` to `h32`: parts of the registers of a video
/// instruction.
static bool isSelector(StringRef name) {
  size_t most = name.starts_with("b") ? 4 : name.starts_with("h") ? 2 : 0;
  return name.size() > 1 && name.size() <= 1 + most &&
         llvm::all_of(name.drop_front(),
                      [](char c) { return c >= '0' && c <= '7'; });
}

bool OperandParser::parseRegister(Operand &operand, const Entity &entity) {
  operand.kind = Operand::Kind::Register;
  operand.reg = entity.index;
  operand.name = entity.name;
  StringRef name = in.token().text;
  in.advance();
  if (in.token().is(Kind::DotWord) && entity.width == 1 &&
      isSelector(in.token().text)) {
    operand.selector = in.token().text;
    in.advance();
    return false;
  }
  if (in.token().is(Kind::DotWord)) {
    size_t component = in.token().text.size() == 1
                           ? StringRef("xyzwrgba").find(in.token().text[0]) % 4
                           : entity.width;
    if (entity.width == 1 || component >= entity.width ||
        !StringRef("xyzwrgba").contains(in.token().text))
      return in.fail("'" + name + "' has no component '" + in.token().text +
                     "'");
    operand.reg += component;
    operand.name = symbols.function().registers[operand.reg].name;
    in.advance();
  } else if (entity.width != 1) {
    operand.kind = Operand::Kind::Vector;
    operand.elements.resize(entity.width);
    for (unsigned i = 0; i != entity.width; ++i) {
      Operand &element = operand.elements[i];
      element.kind = Operand::Kind::Register;
      element.reg = entity.index + i;
      element.name = symbols.function().registers[element.reg].name;
    }
    return in.spend(entity.width);
  }
  return in.token().isOperator("|") && parsePair(operand);
}

bool OperandParser::parsePair(Operand &operand) {
  in.advance();
  std::vector<Operand> elements(2);
  elements[0] = std::move(operand);
  Operand &second = elements[1];
  uint32_t line = in.token().line;
  if (!in.token().is(Kind::Identifier))
    return in.failExpected("a register after '|'");
  if (in.token().text == "_") {
    in.advance();
  } else {
    const Entity *entity = symbols.find(in.token().text);
    if (!entity)
      return in.fail("'" + in.token().text + "' is not declared", line);
    if (entity->symbol != SymbolKind::None || entity->width != 1)
      return in.failExpected("a register after '|'");
    second.kind = Operand::Kind::Register;
    second.reg = entity->index;
    second.name = entity->name;
    in.advance();
  }
  operand = Operand();
  operand.kind = Operand::Kind::Pair;
  operand.elements = std::move(elements);
  return in.spend(2);
}

bool OperandParser::parseSymbol(Operand &operand, const Entity *entity,
                                unsigned depth) {
  operand.kind = Operand::Kind::Symbol;
  operand.name = in.token().text;
  uint32_t line = in.token().line;
  // A label may be declared later, even one that hides the present meaning of
  // the name.
  bool mayFollow = depth == 0;
  if (!entity && !mayFollow)
    return in.fail("'" + in.token().text + "' is not declared", line);
  in.advance();
  if (!entity || isBranch) {
    // The instruction is not in the list yet, so its index is the size.
    uint32_t index = symbols.function().instructions.size();
    pending.add({operand.name, line, /*isTable=*/false, isBranch, index,
                 operandNumber});
    return in.spend(1);
  }
  operand.symbol = entity->symbol;
  operand.index = entity->index;
  operand.name = entity->name;
  if (in.token().isOperator("["))
    return parseIndex(operand);
  // In an address the offset belongs to the address.
  return depth == 0 && constants.parseOffset(operand.offset);
}

bool OperandParser::parseIndex(Operand &operand) {
  const std::vector<Variable> *list =
      operand.symbol == SymbolKind::Variable ? &symbols.module.variables
      : operand.symbol == SymbolKind::Local  ? &symbols.function().variables
                                             : nullptr;
  if (!list)
    return in.fail("'" + operand.name + "' is no array");
  in.advance();
  if (in.token().is(Kind::Identifier) && in.token().text != "WARP_SZ")
    return in.failExpected("a constant index");
  Constant index;
  if (constants.parseInteger(index, "an index") ||
      in.expect("]", "after an index") || in.spend(1))
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

bool OperandParser::parseAddress(Operand &operand, unsigned depth) {
  operand.kind = Operand::Kind::Address;
  uint32_t line = in.token().line;
  Operand &base = operand.elements.emplace_back();
  if (parseOperand(base, depth + 1))
    return true;
  bool isBase = base.kind == Operand::Kind::Register ||
                base.kind == Operand::Kind::Symbol ||
                (base.kind == Operand::Kind::Immediate && !base.isFloat);
  if (!isBase)
    return in.fail("an address must be a register, a variable or an integer",
                   line);
  if (base.negated)
    return in.fail("an address cannot be negated", line);
  if (constants.parseOffset(operand.offset))
    return true;
  while (in.consume(","))
    if (parseElement(operand, depth))
      return true;
  return in.expect("]", "after an address");
}

bool OperandParser::parseElement(Operand &operand, unsigned depth) {
  Operand &element = operand.elements.emplace_back();
  if (parseOperand(element, depth + 1))
    return true;
  return element.kind == Operand::Kind::Symbol &&
         constants.parseOffset(element.offset);
}

bool OperandParser::parseElements(Operand &operand, StringRef close,
                                  unsigned depth) {
  StringRef what = close == "}" ? "after a vector" : "after a list";
  // `()` means a call without arguments. `{}` is an error.
  if (operand.kind == Operand::Kind::List && in.consume(close))
    return false;
  do {
    if (parseElement(operand, depth))
      return true;
  } while (in.consume(","));
  return in.expect(close, what);
}
