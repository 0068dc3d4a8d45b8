//===- ParserVariables.cpp - Parser of variables and parameters -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

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

/// Of variables and registers; other types are of instructions only.
static std::optional<Type> parseVariableType(const Token &token) {
  if (!token.is(Token::Kind::DotWord))
    return std::nullopt;
  std::optional<Type> type = parseType(token.text);
  if (!type || *type > Type::F64 || *type == Type::BF16 ||
      *type == Type::BF16x2 || *type == Type::F32x2)
    return std::nullopt;
  return type;
}

bool Parser::isSpaceWord() const {
  return token.is(Kind::DotWord) && parseSpace(token.text);
}

bool Parser::parseTypeAndWidth(Type &type, uint8_t &width) {
  width = 1;
  if (token.isDotWord("v2") || token.isDotWord("v4")) {
    width = token.text[1] - '0';
    advance();
  }
  std::optional<Type> found = parseVariableType(token);
  if (!found)
    return failExpected("a type");
  // Vectors have at most 128 bits.
  if (width * getBitWidth(*found) > 128 || (width != 1 && *found == Type::Pred))
    return fail("a vector of this type is too wide");
  type = *found;
  advance();
  return false;
}

bool Parser::parseAlign(uint32_t &align) {
  uint64_t value = 0;
  uint32_t line = token.line;
  if (parseCount(value, kMaxAlign, "an alignment"))
    return true;
  if (!llvm::isPowerOf2_64(value))
    return fail("the alignment " + Twine(value) + " is no power of two", line);
  align = static_cast<uint32_t>(value);
  return false;
}

/// `.ptr .global .align 8` tells of what a parameter points to.
bool Parser::parsePointerAttributes() {
  if (!consumeWord("ptr"))
    return false;
  if (isSpaceWord())
    advance();
  uint32_t align = 1;
  return consumeWord("align") && parseAlign(align);
}

/// From the space to the name; all of them share what comes before the name.
bool Parser::parseDeclarator(Declarator &declarator) {
  Variable &variable = declarator.variable;
  // Whoever calls has seen a space, or `.reg`.
  variable.space = parseSpace(token.text).value_or(Space::Reg);
  advance();
  uint32_t align = 0;
  if (parseAttributes() || (consumeWord("align") && parseAlign(align)) ||
      parseTypeAndWidth(variable.type, variable.width))
    return true;
  bool isRegister = variable.space == Space::Reg;
  if (variable.type == Type::Pred && !isRegister)
    return fail("a predicate can be a register only");
  declarator.elementBytes = getBitWidth(variable.type) / 8;
  variable.align =
      align ? align
            : std::max(1u, declarator.elementBytes * declarator.variable.width);
  if (variable.space == Space::Param && parsePointerAttributes())
    return true;
  // NVPTX writes it after the type where there is a `.ptr` only, others may
  // elsewhere.
  return !align && !isRegister && consumeWord("align") &&
         parseAlign(variable.align);
}

bool Parser::parseDims(Declarator &declarator) {
  declarator.dims.clear();
  declarator.isUnsized = false;
  while (consume("[")) {
    uint32_t line = token.line;
    if (declarator.dims.empty() && !declarator.isUnsized && consume("]")) {
      declarator.isUnsized = true;
      continue;
    }
    Constant size;
    if (parseIntegerConstant(size, "the size of an array") ||
        expect("]", "after an array's size"))
      return true;
    if (size.bits == 0 || size.bits > kMaxVariableBytes)
      return fail("the size of an array must be from 1 to " +
                      Twine(kMaxVariableBytes),
                  line);
    declarator.dims.push_back(size.bits);
    if (declarator.dims.size() > kMaxNesting)
      return fail("an array of more than " + Twine(kMaxNesting) + " dimensions",
                  line);
  }
  return false;
}

bool Parser::computeBytes(Declarator &declarator) {
  uint64_t bytes =
      uint64_t(declarator.elementBytes) * declarator.variable.width;
  for (uint64_t dim : declarator.dims) {
    // Each is at most 2^40, so this cannot overflow.
    if (dim > kMaxVariableBytes / bytes)
      return fail("'" + declarator.variable.name + "' is over the limit of " +
                      Twine(kMaxVariableBytes) + " bytes",
                  declarator.variable.line);
    bytes *= dim;
  }
  declarator.variable.bytes = declarator.isUnsized ? 0 : bytes;
  return false;
}

bool Parser::parseVariables(bool isExtern) {
  Declarator declarator;
  uint32_t line = token.line;
  if (parseDeclarator(declarator))
    return true;
  Space space = declarator.variable.space;
  if (!function && (space == Space::Local || space == Space::Param))
    return fail("a variable in ." + getName(space) + " outside of a function",
                line);
  declarator.variable.isExtern = isExtern;
  do {
    Variable &variable = declarator.variable;
    variable.line = token.line;
    variable.init.clear();
    variable.relocations.clear();
    if (parseName(variable.name, "the name of a variable") ||
        parseDims(declarator) || computeBytes(declarator))
      return true;
    bool hasInit = token.isOperator("=");
    if (hasInit &&
        (isExtern || (space != Space::Global && space != Space::Const)))
      return fail("'" + variable.name + "' cannot have an initial value");
    if (hasInit && parseInitializer(declarator))
      return true;
    if (declarator.isUnsized && !hasInit && !isExtern)
      return fail("'" + variable.name + "' has no size", variable.line);
    if (declareVariable(Variable(variable)))
      return true;
  } while (consume(","));
  return expect(";", "after a variable");
}

bool Parser::declareVariable(Variable &&variable) {
  std::vector<Variable> &list =
      function ? function->variables : module.variables;
  StringRef name = variable.name;
  uint32_t line = variable.line;
  const Entity *before = scopes.findHere(name);
  if (before && before->symbol == SymbolKind::Variable && !function) {
    // `.extern` may be said repeatedly, and the definition may follow.
    Variable &old = module.variables[before->index];
    if (old.isExtern && old.space == variable.space) {
      if (variable.bytes != 0 || !variable.isExtern)
        old = std::move(variable);
      return false;
    }
    if (variable.isExtern && old.space == variable.space)
      return false;
  }
  Entity entity;
  entity.symbol = function ? SymbolKind::Local : SymbolKind::Variable;
  entity.index = list.size();
  if (declare(name, entity, line))
    return true;
  variable.name = entity.name;
  list.push_back(std::move(variable));
  return false;
}

bool Parser::parseParams(std::vector<Variable> &params, bool isPrototype,
                         bool mayBeUnsized) {
  if (consume(")"))
    return false;
  do {
    if (!token.isDotWord("param") && !token.isDotWord("reg"))
      return failExpected("a parameter");
    Declarator declarator;
    Variable &variable = declarator.variable;
    variable.line = token.line;
    if (parseDeclarator(declarator))
      return true;
    if (isPrototype && token.text == "_") {
      variable.name = "_";
      advance();
    } else if (parseName(variable.name, "the name of a parameter")) {
      return true;
    }
    if (parseDims(declarator) || computeBytes(declarator) || spend(1))
      return true;
    if (variable.space == Space::Reg &&
        (declarator.variable.width != 1 || !declarator.dims.empty() ||
         declarator.isUnsized))
      return fail("a parameter in a register must be a scalar", variable.line);
    // What comes of `...` in C: whatever else is passed.
    if (declarator.isUnsized && (!mayBeUnsized || !token.isOperator(")")))
      return fail("'" + variable.name + "' has no size", variable.line);
    params.push_back(std::move(variable));
  } while (consume(","));
  return expect(")", "after parameters");
}
