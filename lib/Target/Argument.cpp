//===- Argument.cpp - Arguments of a device function ----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and equality of arguments.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Argument.h"
#include "tcgemm/Target/BlockScales.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using llvm::StringRef;

StringRef tcgemm::getArgumentKindName(ArgumentKind kind) {
  constexpr StringRef names[] = {"pointer", "scalar",    "i32",
                                 "i64",     "workspace", "tensor_map"};
  return names[static_cast<unsigned>(kind)];
}

std::optional<ArgumentKind> tcgemm::parseArgumentKind(StringRef name) {
  for (unsigned i = 0; i != kNumArgumentKinds; ++i)
    if (getArgumentKindName(ArgumentKind(i)) == name)
      return ArgumentKind(i);
  return std::nullopt;
}

bool tcgemm::isOperandName(StringRef name) {
  if (llvm::any_of(kBlockScales, [&](const BlockScales &scales) {
        return name == scales.matrix || name == scales.name;
      }))
    return true;
  return (name.consume_front("in") || name.consume_front("out")) &&
         !name.empty() && llvm::all_of(name, llvm::isDigit);
}

bool Argument::isSame(const Argument &other) const {
  return kind == other.kind && operand == other.operand &&
         value.isSame(other.value) && index == other.index;
}

llvm::hash_code tcgemm::hash_value(const Argument &argument) {
  return llvm::hash_combine(argument.kind, argument.operand, argument.value,
                            argument.index);
}
