//===- Representation.cpp - Numbers as blocks of a matrix -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Representation.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tcgemm {

Expected<Representation> Representation::get(ArrayRef<int64_t> elements) {
  Representation result;
  for (unsigned count = 2; count <= kMostComponents; count *= 2)
    if (elements.size() == size_t(count) * count)
      result.components = count;
  if (result.components == 1)
    return createStringError("a representation has 2 x 2 or 4 x 4 elements, "
                             "but here are " +
                             Twine(elements.size()));
  auto most = static_cast<int64_t>(result.components);
  for (auto [place, element] : enumerate(elements)) {
    if (element == 0 || element < -most || element > most)
      return createStringError(
          "element " + Twine(place) + " of a representation is " +
          Twine(element) + ", but it must be the number of a component, 1 to " +
          Twine(most) + ", perhaps negated");
    result.elements[place] = static_cast<int8_t>(element);
  }
  return result;
}

SmallVector<int64_t, 16> Representation::getElements() const {
  return SmallVector<int64_t, 16>(
      elements.begin(), elements.begin() + size_t(components) * components);
}

} // namespace tcgemm
