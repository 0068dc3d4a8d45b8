//===- InitializerParser.cpp - Parser of initial values -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/InitializerParser.h"
#include "Ptx/Limits.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm::ptx;
using llvm::Twine;

bool InitializerParser::parse(Declarator &declarator) {
  Variable &variable = declarator.variable;
  in.advance();
  Cursor cursor{declarator};
  uint64_t elements = variable.bytes / declarator.elementBytes;
  // A vector has braces, as one more dimension would have.
  if (declarator.variable.width != 1)
    declarator.dims.push_back(declarator.variable.width);
  bool isList = declarator.isUnsized || !declarator.dims.empty();
  if (isList) {
    // `[]` is one more dimension at the front, without a bound.
    if (declarator.isUnsized)
      declarator.dims.insert(declarator.dims.begin(), UINT64_MAX);
    if (parseList(cursor, 0))
      return true;
    if (declarator.isUnsized) {
      uint64_t stride = 1;
      for (uint64_t dim : llvm::ArrayRef(declarator.dims).drop_front())
        stride *= dim;
      elements = llvm::divideCeil(cursor.at, stride) * stride;
      if (elements == 0)
        return in.fail("'" + variable.name + "' has no size", variable.line);
    }
  } else if (parseValue(cursor)) {
    return true;
  }
  if (elements > kMaxInitBytes / declarator.elementBytes)
    return failTooLarge();
  variable.bytes = elements * declarator.elementBytes;
  // grow() has counted a part of it.
  uint64_t rest = variable.bytes - variable.init.size();
  initBytes += rest;
  if (initBytes > kMaxInitBytes)
    return failTooLarge();
  variable.init.resize(variable.bytes);
  return false;
}

bool InitializerParser::failTooLarge() {
  return in.fail("initial values are over the limit of " +
                 Twine(kMaxInitBytes) + " bytes");
}

bool InitializerParser::parseList(Cursor &cursor, size_t dim) {
  llvm::ArrayRef<uint64_t> dims = cursor.declarator.dims;
  uint32_t line = in.token().line;
  if (in.expect("{", "before the values of an array"))
    return true;
  // Elements of one step of this dimension. The product is bounded, since an
  // unsized dimension is the first one.
  uint64_t stride = 1;
  for (uint64_t inner : dims.drop_front(dim + 1))
    stride *= inner;
  // Empty braces mean zeros.
  uint64_t count = 0;
  bool isInnermost = dim + 1 == dims.size();
  for (bool isFirst = true; !in.consume("}"); isFirst = false) {
    if (!isFirst && in.expect(",", "between initial values"))
      return true;
    if (count++ == dims[dim])
      return in.fail("there are more values than elements", line);
    uint64_t next = cursor.at + stride;
    // The sum of many larger steps could overflow.
    if (next > kMaxInitBytes)
      return failTooLarge();
    if (isInnermost ? parseValue(cursor) : parseList(cursor, dim + 1))
      return true;
    cursor.at = next;
  }
  return false;
}

bool InitializerParser::grow(Cursor &cursor) {
  Variable &variable = cursor.declarator.variable;
  uint64_t bytes = cursor.declarator.elementBytes;
  if (cursor.at >= kMaxInitBytes / bytes)
    return failTooLarge();
  uint64_t end = (cursor.at + 1) * bytes;
  if (end <= variable.init.size())
    return false;
  initBytes += end - variable.init.size();
  if (initBytes > kMaxInitBytes)
    return failTooLarge();
  variable.init.resize(end);
  return false;
}

bool InitializerParser::store(Cursor &cursor, uint64_t bits) {
  if (grow(cursor))
    return true;
  uint64_t bytes = cursor.declarator.elementBytes;
  uint8_t *at = &cursor.declarator.variable.init[cursor.at * bytes];
  for (uint64_t i = 0; i != std::min<uint64_t>(bytes, 8); ++i)
    at[i] = static_cast<uint8_t>(bits >> (8 * i));
  // The upper 8 bytes of a .b128 are zero.
  ++cursor.at;
  return false;
}

bool InitializerParser::parseValue(Cursor &cursor) {
  const Declarator &declarator = cursor.declarator;
  Type type = declarator.variable.type;
  if (in.token().is(Kind::Identifier) && in.token().text != "WARP_SZ")
    return parseAddress(cursor, /*isMasked=*/false, 0);
  if (in.token().is(Kind::Number) && in.peek().isOperator("("))
    return parseMaskedAddress(cursor);
  uint32_t line = in.token().line;
  Constant value;
  if (constants.parse(value))
    return true;
  if (!value.isFloat() && isFloat(type))
    return in.fail("an integer for a variable of type ." + getName(type), line);
  if (!value.isFloat())
    return store(cursor, value.bits);
  // ptxas stores the lower bits of a double in a .b16. LLVM means something
  // else when it writes one for a half. So a .b16 is an error here. A .b32
  // takes the bits of a float, as an .f32 does.
  switch (type) {
  case Type::F32:
  case Type::B32:
    return store(cursor, narrowToFloat(value.bits));
  case Type::F64:
  case Type::B64:
    return store(cursor, value.bits);
  default:
    return in.fail("a floating-point value for a variable of type ." +
                       getName(type),
                   line);
  }
}

bool InitializerParser::parseMaskedAddress(Cursor &cursor) {
  uint32_t line = in.token().line;
  std::optional<Constant> mask = constants.readNumber(in.token().text);
  if (!mask || mask->isFloat() || llvm::popcount(mask->bits) != 8 ||
      llvm::countr_zero(mask->bits) % 8 != 0 ||
      mask->bits >> llvm::countr_zero(mask->bits) != 0xFF)
    return in.fail("a mask must be of one byte, such as 0xFF00", line);
  if (cursor.declarator.elementBytes != 1)
    return in.fail("a mask needs elements of one byte", line);
  in.advance();
  in.advance();
  return parseAddress(cursor, true, llvm::countr_zero(mask->bits)) ||
         in.expect(")", "after a mask's symbol");
}

bool InitializerParser::parseAddress(Cursor &cursor, bool isMasked,
                                     unsigned shift) {
  Variable::Relocation relocation{};
  relocation.shift = shift;
  relocation.bytes = cursor.declarator.elementBytes;
  uint32_t line = in.token().line;
  if (!isMasked && relocation.bytes != 4 && relocation.bytes != 8)
    return in.fail("an address needs an element of 32 or 64 bits", line);
  bool isCall = in.token().is(Kind::Identifier) && in.peek().isOperator("(");
  if (isCall && in.token().text != "generic")
    return in.fail("'" + in.token().text + "' is no function of addresses",
                   line);
  if (isCall) {
    relocation.isGeneric = true;
    in.advance();
    in.advance();
  }
  if (in.parseName(relocation.symbol, "the name of a variable or function"))
    return true;
  if (isCall && in.expect(")", "after 'generic(' and a name"))
    return true;
  if (findAddressee(relocation, line))
    return true;
  if (constants.parseOffset(relocation.addend) || in.spend(1))
    return true;
  relocation.at = cursor.at * cursor.declarator.elementBytes;
  if (store(cursor, 0))
    return true;
  cursor.declarator.variable.relocations.push_back(relocation);
  return false;
}

bool InitializerParser::findAddressee(Variable::Relocation &relocation,
                                      uint32_t line) {
  const Entity *entity = symbols.find(relocation.symbol);
  if (!entity)
    return in.fail("'" + relocation.symbol + "' is not declared", line);
  bool isVariable = entity->symbol == SymbolKind::Variable;
  if (!isVariable && entity->symbol != SymbolKind::Function)
    return in.fail("'" + relocation.symbol +
                       "' is no variable or function of "
                       "the module",
                   line);
  if (isVariable &&
      symbols.module.variables[entity->index].space == Space::Shared)
    return in.fail(
        "'" + relocation.symbol + "' has another address in each block", line);
  relocation.kind = entity->symbol;
  relocation.index = entity->index;
  return false;
}
