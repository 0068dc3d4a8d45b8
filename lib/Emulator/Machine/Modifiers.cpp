//===- Modifiers.cpp - Modifiers of an opcode -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"

namespace tcgemm::emu {

bool Modifiers::take(llvm::StringRef name) {
  auto it = llvm::find(rest, name);
  if (it == rest.end())
    return false;
  rest.erase(it);
  return true;
}

std::optional<unsigned>
Modifiers::takeOneOf(std::initializer_list<const char *> names) {
  unsigned index = 0;
  for (const char *name : names) {
    if (take(name))
      return index;
    ++index;
  }
  return std::nullopt;
}

std::optional<ptx::Type> Modifiers::takeType() {
  for (auto it = rest.begin(); it != rest.end(); ++it)
    if (auto type = ptx::parseType(*it)) {
      rest.erase(it);
      return type;
    }
  return std::nullopt;
}

std::optional<llvm::StringRef> Modifiers::takePrefixed(llvm::StringRef prefix) {
  for (auto it = rest.begin(); it != rest.end(); ++it)
    if (it->starts_with(prefix)) {
      llvm::StringRef found = *it;
      rest.erase(it);
      return found;
    }
  return std::nullopt;
}

ptx::Space Modifiers::takeSpace() {
  using ptx::Space;
  static constexpr std::pair<const char *, Space> kSpaces[] = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"shared::cluster", Space::SharedCluster},
      {"const", Space::Const},        {"local", Space::Local},
      {"param", Space::Param},        {"param::entry", Space::Param},
      {"param::func", Space::Param}};
  for (auto &[name, space] : kSpaces)
    if (take(name))
      return space;
  return Space::Generic;
}

} // namespace tcgemm::emu
