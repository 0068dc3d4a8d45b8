//===- NamedReduction.cpp - Reductions with names -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/NamedReduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

namespace {
struct KindInfo {
  StringLiteral name;
  Combiner ofFloats;
  std::optional<Combiner> ofIntegers;
  ReducedFunction function;
  bool startsWithZero;
};
using C = Combiner;
using F = ReducedFunction;

// In the order of the enumeration.
constexpr KindInfo kKinds[] = {
    {"max", C::MaximumF, C::MaxSI, F::Identity, false},
    {"min", C::MinimumF, C::MinSI, F::Identity, false},
    {"sum", C::AddF, C::AddI, F::Identity, true},
    {"sumsq", C::AddF, C::AddI, F::Square, true},
    {"amax", C::MaximumF, C::MaxSI, F::Absolute, true},
    {"argmax", C::ArgMaximumF, C::ArgMaxSI, F::Identity, true},
    {"sumexp", C::SumExpF, std::nullopt, F::Identity, true},
    {"mean", C::MeanF, std::nullopt, F::Identity, true},
    {"variance", C::VarianceF, std::nullopt, F::Identity, true}};
static_assert(std::size(kKinds) == kNumReductionKinds);

// The prefixes, in the order of the enumeration. The first one is empty.
constexpr StringLiteral kAxes[] = {"", "row-", "column-"};

const KindInfo &getInfo(ReductionKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}
} // namespace

std::string NamedReduction::str() const {
  return (kAxes[static_cast<size_t>(axis)] + getInfo(kind).name).str();
}

std::optional<Combiner> NamedReduction::getCombiner(bool isFloat) const {
  return isFloat ? getInfo(kind).ofFloats : getInfo(kind).ofIntegers;
}

ReducedFunction NamedReduction::getFunction() const {
  return getInfo(kind).function;
}

bool NamedReduction::hasParts() const {
  return getStateKind(getInfo(kind).ofFloats) != StateKind::Value;
}

bool NamedReduction::startsWithZero() const {
  return getInfo(kind).startsWithZero;
}

std::string getReductionKindNames() {
  return join(map_range(kKinds, [](const KindInfo &info) { return info.name; }),
              ", ");
}

std::string NamedReductions::str() const {
  if (hasOther)
    return "other";
  return list.empty() ? "none"
                      : join(map_range(list,
                                       [](const NamedReduction &reduction) {
                                         return reduction.str();
                                       }),
                             "_");
}

Expected<NamedReductions> NamedReductions::parse(StringRef text) {
  NamedReductions reductions;
  if (text == "none")
    return reductions;
  SmallVector<StringRef> words;
  text.split(words, '_');
  for (StringRef word : words) {
    NamedReduction reduction;
    StringRef kind = word;
    for (ReductionAxis axis : {ReductionAxis::Row, ReductionAxis::Column})
      if (kind.consume_front(kAxes[static_cast<size_t>(axis)])) {
        reduction.axis = axis;
        break;
      }
    const auto *found = find_if(
        kKinds, [&](const KindInfo &info) { return info.name == kind; });
    if (found == std::end(kKinds))
      return createStringError("reduction: '" + word + "' is none of " +
                               getReductionKindNames() +
                               ", nor one of them behind row- or column-");
    reduction.kind = static_cast<ReductionKind>(found - kKinds);
    reductions.list.push_back(reduction);
  }
  return reductions;
}

} // namespace tcgemm
