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

namespace {
struct PartInfo {
  StringLiteral name;
  EpilogueOperand operand = EpilogueOperand::None;
  bool multiplies = false;
  bool hasOutputType = operand == EpilogueOperand::Matrix;
  bool isOfGroups = false;
};
using O = EpilogueOperand;

// In the order of the enumeration.
constexpr PartInfo kParts[] = {{"bias", O::AlongN},
                               {"rowbias", O::AlongM},
                               {"relu"},
                               {"gelu"},
                               {"gelutanh"},
                               {"silu"},
                               {"residual", O::Matrix},
                               {"gate", O::Matrix, true},
                               {"scale", O::Number, true},
                               {"rowscale", O::AlongM, true},
                               {"colscale", O::AlongN, true},
                               {"outbias", O::AlongN, false, true},
                               {"outrowbias", O::AlongM, false, true},
                               {"groupbias", O::AlongN, false, false, true},
                               {"groupscale", O::Number, true, false, true},
                               {"groupcolscale", O::AlongN, true, false, true}};

const PartInfo &getInfo(EpiloguePart part) {
  return kParts[static_cast<size_t>(part)];
}
} // namespace

StringRef getPartName(EpiloguePart part) { return getInfo(part).name; }

std::string getPartNames() {
  return join(map_range(kParts, [](const PartInfo &info) { return info.name; }),
              ", ");
}

EpilogueOperand getPartOperand(EpiloguePart part) {
  return getInfo(part).operand;
}

bool multiplies(EpiloguePart part) { return getInfo(part).multiplies; }

bool hasOutputType(EpiloguePart part) { return getInfo(part).hasOutputType; }

bool isOfGroups(EpiloguePart part) { return getInfo(part).isOfGroups; }

EpiloguePart getPartOfOperand(EpilogueOperand operand, bool multiplies,
                              bool isOfGroups) {
  const auto *found = find_if(kParts, [&](const PartInfo &info) {
    return info.operand == operand && info.multiplies == multiplies &&
           info.isOfGroups == isOfGroups;
  });
  return found == std::end(kParts) ? EpiloguePart::RowBias
                                   : static_cast<EpiloguePart>(found - kParts);
}

bool readsMatrix(EpiloguePart part) {
  return getPartOperand(part) == EpilogueOperand::Matrix;
}

bool readsOperand(EpiloguePart part) {
  return getPartOperand(part) != EpilogueOperand::None;
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
    const auto *found = find_if(
        kParts, [&](const PartInfo &info) { return info.name == word; });
    if (found == std::end(kParts))
      return createStringError("epilogue: '" + word + "' is none of " +
                               getPartNames());
    epilogue.parts.push_back(static_cast<EpiloguePart>(found - kParts));
  }
  return epilogue;
}

int64_t NamedEpilogue::countMatrices() const {
  return count_if(parts, readsMatrix);
}

} // namespace tcgemm
