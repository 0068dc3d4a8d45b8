//===- ElementTransform.cpp - Named functions of elements -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/ElementTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

// In the order of the enumeration.
static constexpr StringLiteral kNames[] = {"relu", "add1", "silu", "exp",
                                           "inverse"};

StringRef getTransformName(TransformPart part) {
  return kNames[static_cast<size_t>(part)];
}

std::string ElementTransform::str() const {
  if (isOther)
    return "other";
  return parts.empty() ? "none" : join(map_range(parts, getTransformName), "_");
}

Expected<ElementTransform> ElementTransform::parse(StringRef text) {
  ElementTransform transform;
  if (text == "none")
    return transform;
  SmallVector<StringRef> words;
  text.split(words, '_');
  for (StringRef word : words) {
    const auto *found = find(kNames, word);
    if (found == std::end(kNames))
      return createStringError("element function: '" + word + "' is none of " +
                               join(ArrayRef(kNames), ", "));
    transform.parts.push_back(static_cast<TransformPart>(found - kNames));
  }
  return transform;
}

} // namespace tcgemm
