//===- Scopes.cpp - Scopes of names ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Scopes.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

void Scopes::leave() {
  // Backwards, since a scope may hide a name several times.
  for (; hidden.size() != starts.back(); hidden.pop_back())
    slots[hidden.back().first] = hidden.back().second;
  starts.pop_back();
}

const Entity *Scopes::find(StringRef name) const {
  auto slot = slots.find(name);
  return slot != slots.end() && slot->second.isSet ? &slot->second.entity
                                                   : nullptr;
}

const Entity *Scopes::findHere(StringRef name) const {
  auto slot = slots.find(name);
  return slot != slots.end() && slot->second.isSet &&
                 slot->second.depth == getDepth()
             ? &slot->second.entity
             : nullptr;
}

void Scopes::declare(StringRef name, const Entity &entity) {
  Slot &slot = slots[name];
  if (!starts.empty())
    hidden.emplace_back(name, slot);
  slot.entity = entity;
  slot.depth = getDepth();
  slot.isSet = true;
}
