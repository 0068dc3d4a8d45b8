//===- NamedEpilogue.cpp - Epilogues that have a name ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/NamedEpilogue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

// In the order of the enumeration: names are found by index.
static constexpr StringLiteral kNames[] = {
    "bias", "rowbias", "relu", "gelu", "gelutanh", "silu", "residual", "gate"};

StringRef getPartName(EpiloguePart part) {
  return kNames[static_cast<size_t>(part)];
}

bool readsMatrix(EpiloguePart part) {
  return part == EpiloguePart::Residual || part == EpiloguePart::Gate;
}

bool readsOperand(EpiloguePart part) {
  return part == EpiloguePart::Bias || part == EpiloguePart::RowBias ||
         readsMatrix(part);
}

std::string NamedEpilogue::str() const {
  return parts.empty() ? "none" : join(map_range(parts, getPartName), "_");
}

Expected<NamedEpilogue> NamedEpilogue::parse(StringRef text) {
  NamedEpilogue epilogue;
  if (text == "none")
    return epilogue;
  SmallVector<StringRef> words;
  text.split(words, '_');
  for (StringRef word : words) {
    const auto *found = find(kNames, word);
    if (found == std::end(kNames))
      return createStringError("epilogue: '" + word + "' is none of " +
                               join(ArrayRef(kNames), ", "));
    epilogue.parts.push_back(static_cast<EpiloguePart>(found - kNames));
  }
  return epilogue;
}

int64_t NamedEpilogue::countMatrices() const {
  return count_if(parts, readsMatrix);
}

} // namespace tcgemm
