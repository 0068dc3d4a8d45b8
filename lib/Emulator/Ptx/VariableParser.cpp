//===- VariableParser.cpp - Parser of variables and parameters ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/VariableParser.h"
#include "Ptx/Limits.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

static std::optional<Space> parseSpace(StringRef word) {
  return llvm::StringSwitch<std::optional<Space>>(word)
      .Case("const", Space::Const)
      .Case("global", Space::Global)
      .Case("local", Space::Local)
      .Case("param", Space::Param)
      .Case("shared", Space::Shared)
      .Default(std::nullopt);
}

/// A type of variables and registers. Other types are for instructions only.
static std::optional<Type> parseVariableType(const Token &token) {
  if (!token.is(Token::Kind::DotWord))
    return std::nullopt;
  std::optional<Type> type = parseType(token.text);
  if (!type || *type > Type::F64 || *type == Type::BF16 ||
      *type == Type::BF16x2 || *type == Type::F32x2)
    return std::nullopt;
  return type;
}

bool VariableParser::isSpaceWord() const {
  return in.token().is(Kind::DotWord) && parseSpace(in.token().text);
}

bool VariableParser::parseTypeAndWidth(Type &type, uint8_t &width) {
  width = 1;
  if (in.token().isDotWord("v2") || in.token().isDotWord("v4")) {
    width = in.token().text[1] - '0';
    in.advance();
  }
  std::optional<Type> found = parseVariableType(in.token());
  if (!found)
    return in.failExpected("a type");
  // Vectors have at most 128 bits.
  if (width * getBitWidth(*found) > 128 || (width != 1 && *found == Type::Pred))
    return in.fail("a vector of this type is too wide");
  type = *found;
  in.advance();
  return false;
}

bool VariableParser::parseAlign(uint32_t &align) {
  uint64_t value = 0;
  uint32_t line = in.token().line;
  if (constants.parseCount(value, kMaxAlign, "an alignment"))
    return true;
  if (!llvm::isPowerOf2_64(value))
    return in.fail("the alignment " + Twine(value) + " is no power of two",
                   line);
  align = static_cast<uint32_t>(value);
  return false;
}

bool VariableParser::parsePointerAttributes() {
  if (!in.consumeWord("ptr"))
    return false;
  if (isSpaceWord())
    in.advance();
  uint32_t align = 1;
  return in.consumeWord("align") && parseAlign(align);
}

bool VariableParser::parseDeclarator(Declarator &declarator) {
  Variable &variable = declarator.variable;
  // The caller has seen a space, or `.reg`.
  variable.space = parseSpace(in.token().text).value_or(Space::Reg);
  in.advance();
  uint32_t align = 0;
  if (directives.parseAttributes() ||
      (in.consumeWord("align") && parseAlign(align)) ||
      parseTypeAndWidth(variable.type, variable.width))
    return true;
  bool isRegister = variable.space == Space::Reg;
  if (variable.type == Type::Pred && !isRegister)
    return in.fail("a predicate can be a register only");
  declarator.elementBytes = getBitWidth(variable.type) / 8;
  variable.align =
      align ? align
            : std::max(1u, declarator.elementBytes * declarator.variable.width);
  if (variable.space == Space::Param && parsePointerAttributes())
    return true;
  // NVPTX writes the alignment after the type for a `.ptr` only. Other
  // compilers may write it elsewhere.
  return !align && !isRegister && in.consumeWord("align") &&
         parseAlign(variable.align);
}

bool VariableParser::parseDims(Declarator &declarator) {
  declarator.dims.clear();
  declarator.isUnsized = false;
  while (in.consume("[")) {
    uint32_t line = in.token().line;
    if (declarator.dims.empty() && !declarator.isUnsized && in.consume("]")) {
      declarator.isUnsized = true;
      continue;
    }
    Constant size;
    if (constants.parseInteger(size, "the size of an array") ||
        in.expect("]", "after an array's size"))
      return true;
    if (size.bits == 0 || size.bits > kMaxVariableBytes)
      return in.fail("the size of an array must be from 1 to " +
                         Twine(kMaxVariableBytes),
                     line);
    declarator.dims.push_back(size.bits);
    if (declarator.dims.size() > kMaxNesting)
      return in.fail(
          "an array of more than " + Twine(kMaxNesting) + " dimensions", line);
  }
  return false;
}

bool VariableParser::computeBytes(Declarator &declarator) {
  uint64_t bytes =
      uint64_t(declarator.elementBytes) * declarator.variable.width;
  for (uint64_t dim : declarator.dims) {
    // Each dimension is at most 2^40, so this cannot overflow.
    if (dim > kMaxVariableBytes / bytes)
      return in.fail("'" + declarator.variable.name +
                         "' is over the limit of " + Twine(kMaxVariableBytes) +
                         " bytes",
                     declarator.variable.line);
    bytes *= dim;
  }
  declarator.variable.bytes = declarator.isUnsized ? 0 : bytes;
  return false;
}

bool VariableParser::parseVariables(bool isExtern) {
  Declarator declarator;
  uint32_t line = in.token().line;
  if (parseDeclarator(declarator))
    return true;
  Space space = declarator.variable.space;
  if (!symbols.isInFunction() &&
      (space == Space::Local || space == Space::Param))
    return in.fail(
        "a variable in ." + getName(space) + " outside of a function", line);
  declarator.variable.isExtern = isExtern;
  do {
    Variable &variable = declarator.variable;
    variable.line = in.token().line;
    variable.init.clear();
    variable.relocations.clear();
    if (in.parseName(variable.name, "the name of a variable") ||
        parseDims(declarator) || computeBytes(declarator))
      return true;
    bool hasInit = in.token().isOperator("=");
    if (hasInit &&
        (isExtern || (space != Space::Global && space != Space::Const)))
      return in.fail("'" + variable.name + "' cannot have an initial value");
    if (hasInit && initializers.parse(declarator))
      return true;
    if (declarator.isUnsized && !hasInit && !isExtern)
      return in.fail("'" + variable.name + "' has no size", variable.line);
    if (declareVariable(Variable(variable)))
      return true;
  } while (in.consume(","));
  return in.expect(";", "after a variable");
}

bool VariableParser::declareVariable(Variable &&variable) {
  std::vector<Variable> &list = symbols.isInFunction()
                                    ? symbols.function().variables
                                    : symbols.module.variables;
  StringRef name = variable.name;
  uint32_t line = variable.line;
  const Entity *before = symbols.findHere(name);
  if (before && before->symbol == SymbolKind::Variable &&
      !symbols.isInFunction()) {
    // A variable may be declared `.extern` several times, and then defined.
    Variable &old = symbols.module.variables[before->index];
    if (old.isExtern && old.space == variable.space) {
      if (variable.bytes != 0 || !variable.isExtern)
        old = std::move(variable);
      return false;
    }
    if (variable.isExtern && old.space == variable.space)
      return false;
  }
  Entity entity;
  entity.symbol =
      symbols.isInFunction() ? SymbolKind::Local : SymbolKind::Variable;
  entity.index = list.size();
  if (symbols.declare(name, entity, line))
    return true;
  variable.name = entity.name;
  list.push_back(std::move(variable));
  return false;
}

bool VariableParser::parseParams(std::vector<Variable> &params,
                                 bool isPrototype, bool mayBeUnsized) {
  if (in.consume(")"))
    return false;
  do {
    if (!in.token().isDotWord("param") && !in.token().isDotWord("reg"))
      return in.failExpected("a parameter");
    Declarator declarator;
    Variable &variable = declarator.variable;
    variable.line = in.token().line;
    if (parseDeclarator(declarator))
      return true;
    if (isPrototype && in.token().text == "_") {
      variable.name = "_";
      in.advance();
    } else if (in.parseName(variable.name, "the name of a parameter")) {
      return true;
    }
    if (parseDims(declarator) || computeBytes(declarator) || in.spend(1))
      return true;
    if (variable.space == Space::Reg &&
        (declarator.variable.width != 1 || !declarator.dims.empty() ||
         declarator.isUnsized))
      return in.fail("a parameter in a register must be a scalar",
                     variable.line);
    // `...` in C becomes an unsized last parameter.
    if (declarator.isUnsized && (!mayBeUnsized || !in.token().isOperator(")")))
      return in.fail("'" + variable.name + "' has no size", variable.line);
    params.push_back(std::move(variable));
  } while (in.consume(","));
  return in.expect(")", "after parameters");
}
