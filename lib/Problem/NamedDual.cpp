//===- NamedDual.cpp - How two products become one value ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/NamedDual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

using P = EpiloguePart;

// In the order of the enumeration, without its first and last.
static constexpr DualInfo kDuals[] = {
    {"silu-mul", DualKind::SiluMul, P::Silu, true},
    {"gelu-mul", DualKind::GeluMul, P::Gelu, true},
    {"gelutanh-mul", DualKind::GeluTanhMul, P::GeluTanh, true},
    {"relu-mul", DualKind::ReluMul, P::Relu, true},
    {"mul", DualKind::Mul, std::nullopt, true},
    {"add", DualKind::Add, std::nullopt, false}};

static_assert(std::size(kDuals) + 1 == static_cast<size_t>(DualKind::Other));

ArrayRef<DualInfo> getDualInfos() { return kDuals; }

const DualInfo &getDualInfo(DualKind kind) {
  assert(kind != DualKind::None && kind != DualKind::Other && "has no name");
  return kDuals[static_cast<size_t>(kind) - 1];
}

StringRef getDualName(DualKind kind) {
  if (kind == DualKind::None || kind == DualKind::Other)
    return kind == DualKind::None ? "none" : "other";
  return getDualInfo(kind).name;
}

Expected<DualKind> parseDual(StringRef text) {
  if (text == "none")
    return DualKind::None;
  for (const DualInfo &info : kDuals)
    if (info.name == text)
      return info.kind;
  return createStringError(
      "dual product: '" + text + "' is none of none, " +
      join(map_range(kDuals, [](const DualInfo &info) { return info.name; }),
           ", "));
}

} // namespace tcgemm
