//===- ParserInitializers.cpp - Parser of initial values ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm::ptx;
using llvm::Twine;

bool Parser::parseInitializer(Declarator &declarator) {
  Variable &variable = declarator.variable;
  advance();
  InitCursor cursor{declarator};
  uint64_t elements = variable.bytes / declarator.elementBytes;
  // A vector is braced like one more dimension.
  if (declarator.variable.width != 1)
    declarator.dims.push_back(declarator.variable.width);
  bool isList = declarator.isUnsized || !declarator.dims.empty();
  if (isList) {
    // `[]` counts as one more dimension at the front, without an end.
    if (declarator.isUnsized)
      declarator.dims.insert(declarator.dims.begin(), UINT64_MAX);
    if (parseInitList(cursor, 0))
      return true;
    if (declarator.isUnsized) {
      uint64_t stride = 1;
      for (uint64_t dim : llvm::ArrayRef(declarator.dims).drop_front())
        stride *= dim;
      elements = llvm::divideCeil(cursor.at, stride) * stride;
      if (elements == 0)
        return fail("'" + variable.name + "' has no size", variable.line);
    }
  } else if (parseInitValue(cursor)) {
    return true;
  }
  if (elements > kMaxInitBytes / declarator.elementBytes)
    return failInitTooLarge();
  variable.bytes = elements * declarator.elementBytes;
  // What growInit() counted already is part of it.
  uint64_t rest = variable.bytes - variable.init.size();
  initBytes += rest;
  if (initBytes > kMaxInitBytes)
    return failInitTooLarge();
  variable.init.resize(variable.bytes);
  return false;
}

bool Parser::failInitTooLarge() {
  return fail("initial values are over the limit of " + Twine(kMaxInitBytes) +
              " bytes");
}

bool Parser::parseInitList(InitCursor &cursor, size_t dim) {
  llvm::ArrayRef<uint64_t> dims = cursor.declarator.dims;
  uint32_t line = token.line;
  if (expect("{", "before the values of an array"))
    return true;
  // Elements of one step of this dimension. Bounded, as the product of all
  // sizes is: an unsized one is the first.
  uint64_t stride = 1;
  for (uint64_t inner : dims.drop_front(dim + 1))
    stride *= inner;
  // Empty braces are zeros.
  uint64_t count = 0;
  bool isInnermost = dim + 1 == dims.size();
  for (bool isFirst = true; !consume("}"); isFirst = false) {
    if (!isFirst && expect(",", "between initial values"))
      return true;
    if (count++ == dims[dim])
      return fail("there are more values than elements", line);
    uint64_t next = cursor.at + stride;
    // Beyond, the sum of many such steps could overflow.
    if (next > kMaxInitBytes)
      return failInitTooLarge();
    if (isInnermost ? parseInitValue(cursor) : parseInitList(cursor, dim + 1))
      return true;
    cursor.at = next;
  }
  return false;
}

/// Room for the element at the cursor.
bool Parser::growInit(InitCursor &cursor) {
  Variable &variable = cursor.declarator.variable;
  uint64_t bytes = cursor.declarator.elementBytes;
  if (cursor.at >= kMaxInitBytes / bytes)
    return failInitTooLarge();
  uint64_t end = (cursor.at + 1) * bytes;
  if (end <= variable.init.size())
    return false;
  initBytes += end - variable.init.size();
  if (initBytes > kMaxInitBytes)
    return failInitTooLarge();
  variable.init.resize(end);
  return false;
}

bool Parser::storeInit(InitCursor &cursor, uint64_t bits) {
  if (growInit(cursor))
    return true;
  uint64_t bytes = cursor.declarator.elementBytes;
  uint8_t *at = &cursor.declarator.variable.init[cursor.at * bytes];
  for (uint64_t i = 0; i != std::min<uint64_t>(bytes, 8); ++i)
    at[i] = static_cast<uint8_t>(bits >> (8 * i));
  // Of the 16 bytes of a .b128, the rest is zero.
  ++cursor.at;
  return false;
}

bool Parser::parseInitValue(InitCursor &cursor) {
  const Declarator &declarator = cursor.declarator;
  Type type = declarator.variable.type;
  if (token.is(Kind::Identifier) && token.text != "WARP_SZ")
    return parseInitAddress(cursor, /*isMasked=*/false, 0);
  // `0xFF00(symbol)` is one byte of the symbol's address.
  if (token.is(Kind::Number) && peek().isOperator("(")) {
    uint32_t line = token.line;
    std::optional<Constant> mask = readNumber(token.text);
    if (!mask || mask->isFloat() || llvm::popcount(mask->bits) != 8 ||
        llvm::countr_zero(mask->bits) % 8 != 0 ||
        mask->bits >> llvm::countr_zero(mask->bits) != 0xFF)
      return fail("a mask must be of one byte, such as 0xFF00", line);
    if (declarator.elementBytes != 1)
      return fail("a mask needs elements of one byte", line);
    advance();
    advance();
    return parseInitAddress(cursor, true, llvm::countr_zero(mask->bits)) ||
           expect(")", "after a mask's symbol");
  }
  uint32_t line = token.line;
  Constant value;
  if (parseConstant(value))
    return true;
  if (!value.isFloat() && isFloat(type))
    return fail("an integer for a variable of type ." + getName(type), line);
  if (!value.isFloat())
    return storeInit(cursor, value.bits);
  // ptxas takes the lower bits of a double for a .b16, which LLVM does not mean
  // when it writes one for a half. Better to have none of it.
  // The bits of `.b32 x = 0f3F800000` are those of a float, as in `.f32`.
  switch (type) {
  case Type::F32:
  case Type::B32:
    return storeInit(cursor, narrowToFloat(value.bits));
  case Type::F64:
  case Type::B64:
    return storeInit(cursor, value.bits);
  default:
    return fail("a floating-point value for a variable of type ." +
                    getName(type),
                line);
  }
}

/// `symbol`, `symbol+4`, `generic(symbol)+4`; of a mask if `isMasked`.
bool Parser::parseInitAddress(InitCursor &cursor, bool isMasked,
                              unsigned shift) {
  Variable::Relocation relocation{};
  relocation.shift = shift;
  relocation.bytes = cursor.declarator.elementBytes;
  uint32_t line = token.line;
  if (!isMasked && relocation.bytes != 4 && relocation.bytes != 8)
    return fail("an address needs an element of 32 or 64 bits", line);
  bool isCall = token.is(Kind::Identifier) && peek().isOperator("(");
  if (isCall && token.text != "generic")
    return fail("'" + token.text + "' is no function of addresses", line);
  if (isCall) {
    relocation.isGeneric = true;
    advance();
    advance();
  }
  if (parseName(relocation.symbol, "the name of a variable or function"))
    return true;
  if (isCall && expect(")", "after 'generic(' and a name"))
    return true;
  const Entity *entity = scopes.find(relocation.symbol);
  if (!entity)
    return fail("'" + relocation.symbol + "' is not declared", line);
  bool isVariable = entity->symbol == SymbolKind::Variable;
  if (!isVariable && entity->symbol != SymbolKind::Function)
    return fail("'" + relocation.symbol +
                    "' is no variable or function of "
                    "the module",
                line);
  if (isVariable && module.variables[entity->index].space == Space::Shared)
    return fail("'" + relocation.symbol + "' has another address in each block",
                line);
  relocation.kind = entity->symbol;
  relocation.index = entity->index;
  if (parseOffset(relocation.addend) || spend(1))
    return true;
  relocation.at = cursor.at * cursor.declarator.elementBytes;
  if (storeInit(cursor, 0))
    return true;
  cursor.declarator.variable.relocations.push_back(relocation);
  return false;
}
