//===- Vectors.cpp - Vectors of a contraction's epilogue ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Vectors.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::StringRef;

StridedShape LetteredTensor::select(StringRef chosen) const {
  StridedShape result;
  for (char letter : chosen) {
    size_t place = letters.find(letter);
    bool isThere = place != std::string::npos;
    result.sizes.push_back(isThere ? shape.sizes[place] : 1);
    result.strides.push_back(isThere ? shape.strides[place] : 0);
  }
  return result;
}

/// Parts that do the same along n and along m.
static constexpr std::pair<EpiloguePart, EpiloguePart> kPairs[] = {
    {EpiloguePart::Bias, EpiloguePart::RowBias},
    {EpiloguePart::ColumnScale, EpiloguePart::RowScale},
    {EpiloguePart::OutBias, EpiloguePart::OutRowBias}};

static EpiloguePart exchange(EpiloguePart part) {
  for (auto [alongN, alongM] : kPairs)
    if (part == alongN || part == alongM)
      return part == alongN ? alongM : alongN;
  return part;
}

NamedEpilogue library::exchangeVectors(const NamedEpilogue &epilogue) {
  NamedEpilogue result;
  for (EpiloguePart part : epilogue.parts)
    result.parts.push_back(exchange(part));
  return result;
}

/// The name with that of the other part at its start, if it is the name of a
/// part and a number or nothing.
static std::string exchangeName(StringRef name) {
  StringRef part = name.rtrim("0123456789");
  for (auto [alongN, alongM] : kPairs)
    for (EpiloguePart each : {alongN, alongM})
      if (part == getPartName(each))
        return (getPartName(exchange(each)) + name.drop_front(part.size()))
            .str();
  return name.str();
}

std::string library::exchangeVectorNames(StringRef body) {
  // The characters of MLIR's names of values.
  auto isOfName = [](char c) {
    return llvm::isAlnum(c) || StringRef("_$.-").contains(c);
  };
  std::string result;
  while (!body.empty()) {
    auto [before, after] = body.split('%');
    result += before;
    if (before.size() == body.size())
      break;
    StringRef name = after.take_while(isOfName);
    result += "%" + exchangeName(name);
    body = after.drop_front(name.size());
  }
  return result;
}
