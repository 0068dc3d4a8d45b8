//===- SymbolTable.cpp - Names of a module and its functions --------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/SymbolTable.h"
#include "Ptx/Limits.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

void SymbolTable::enterFunction(Function &function) {
  current = &function;
  uses.clear();
}

StringRef SymbolTable::keep(std::string name) {
  module.generatedNames.push_back(
      std::make_unique<std::string>(std::move(name)));
  return *module.generatedNames.back();
}

/// '#' is in no name as PTX writes them.
StringRef SymbolTable::makeUnique(StringRef name) {
  unsigned &count = uses[name];
  if (++count == 1 && !scopes.find(name))
    return name;
  count = std::max(count, 2u);
  return keep((name + "#" + Twine(count)).str());
}

bool SymbolTable::declare(StringRef name, Entity &entity, uint32_t line) {
  if (scopes.findHere(name))
    return in.fail("'" + name + "' is declared already", line);
  if (name == "WARP_SZ")
    return in.fail("'WARP_SZ' is a constant", line);
  if (in.spend(kNodesOfName))
    return true;
  if (entity.name.empty())
    entity.name = current ? makeUnique(name) : name;
  scopes.declare(name, entity);
  return false;
}

bool SymbolTable::declareParam(StringRef name, Entity &entity, uint32_t line) {
  entity.name = name;
  ++uses[name];
  return declare(name, entity, line);
}

bool SymbolTable::addRegister(Type type, unsigned width, StringRef name,
                              uint32_t line) {
  if (current->registers.size() + width > kMaxRegisters)
    return in.fail("registers are over the limit of " + Twine(kMaxRegisters) +
                       " of a function",
                   line);
  Entity entity;
  entity.width = width;
  entity.index = current->registers.size();
  if (declare(name, entity, line))
    return true;
  if (width == 1) {
    current->registers.push_back({type, entity.name});
    return false;
  }
  for (char component : StringRef("xyzw").take_front(width))
    current->registers.push_back(
        {type, keep((entity.name + "." + Twine(component)).str())});
  return in.spend(width);
}

bool SymbolTable::addRegisters(Type type, unsigned width, StringRef name,
                               uint64_t count, uint32_t line) {
  // Each copy of a long name takes memory.
  if (in.spend(count * (name.size() / 64)))
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
  current->registers.reserve(current->registers.size() + count * width);
  for (size_t end : ends) {
    if (addRegister(type, width, kept.slice(start, end), line))
      return true;
    start = end;
  }
  return false;
}
