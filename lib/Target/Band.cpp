//===- Band.cpp - Matrices that are zero outside a band -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Band.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

namespace {
/// A band with a name.
struct NamedBand {
  StringLiteral name;
  std::optional<int64_t> lower, upper;
  bool isUnit = false;
};
} // namespace

static constexpr NamedBand kNamedBands[] = {
    {"lower", std::nullopt, 0},
    {"upper", 0, std::nullopt},
    {"strict-lower", std::nullopt, -1},
    {"strict-upper", 1, std::nullopt},
    {"unit-lower", std::nullopt, 0, true},
    {"unit-upper", 0, std::nullopt, true}};

static constexpr StringLiteral kNumbers = "band", kZeros = "zeros", kAll = "*";

Band Band::transpose() const {
  Band result = *this;
  result.lower = result.upper = std::nullopt;
  if (upper)
    result.lower = -*upper;
  if (lower)
    result.upper = -*lower;
  return result;
}

std::string Band::str() const {
  std::string text;
  for (const NamedBand &named : kNamedBands)
    if (named.lower == lower && named.upper == upper && named.isUnit == isUnit)
      text = named.name.str();
  if (text.empty())
    text = (kNumbers + ":" + (lower ? std::to_string(-*lower) : kAll.str()) +
            ":" + (upper ? std::to_string(*upper) : kAll.str()))
               .str();
  return hasZeros ? (text + ":" + kZeros).str() : text;
}

/// Reads the number of diagonals on one side, or `*`.
static bool readLimit(StringRef text, std::optional<int64_t> &limit) {
  if (text == kAll)
    return true;
  return !text.getAsInteger(10, limit.emplace()) &&
         std::abs(*limit) <= kMaxBandLimit;
}

Expected<Band> Band::parse(StringRef text) {
  auto fail = [&](const Twine &rule) {
    return createStringError("band: '" + text + "' " + rule);
  };
  SmallVector<StringRef> words;
  text.split(words, ':');
  Band band;
  band.hasZeros = words.size() > 1 && words.back() == kZeros;
  if (band.hasZeros)
    words.pop_back();
  const auto *named = find_if(kNamedBands, [&](const NamedBand &candidate) {
    return words.size() == 1 && candidate.name == words.front();
  });
  if (named != std::end(kNamedBands)) {
    band.lower = named->lower;
    band.upper = named->upper;
    band.isUnit = named->isUnit;
    if (band.isUnit && band.hasZeros)
      return fail("has ones on the diagonal, which the memory need not hold: "
                  "it cannot have " +
                  kZeros);
    return band;
  }
  std::optional<int64_t> below;
  if (words.size() != 3 || words.front() != kNumbers ||
      !readLimit(words[1], below) || !readLimit(words[2], band.upper))
    return fail("is none of " +
                join(map_range(kNamedBands,
                               [](const NamedBand &candidate) {
                                 return candidate.name.str();
                               }),
                     ", ") +
                " and band:L:U, with L diagonals below and U above the main "
                "one, each a number up to " +
                Twine(kMaxBandLimit) + " or *");
  if (below)
    band.lower = -*below;
  if (!band.lower && !band.upper)
    return fail("has no limit");
  if (band.lower && band.upper && *band.lower > *band.upper)
    return fail("has no diagonal: it needs L + U of at least 0");
  return band;
}

} // namespace tcgemm
