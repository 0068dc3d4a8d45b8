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

static constexpr DualInfo kDuals[] = {
    {DualKind::SiluMul, "silu-mul", P::Silu, true},
    {DualKind::GeluMul, "gelu-mul", P::Gelu, true},
    {DualKind::GeluTanhMul, "gelutanh-mul", P::GeluTanh, true},
    {DualKind::ReluMul, "relu-mul", P::Relu, true},
    {DualKind::Mul, "mul", std::nullopt, true},
    {DualKind::Add, "add", std::nullopt, false}};

ArrayRef<DualInfo> getDualInfos() { return kDuals; }

const DualInfo &getDualInfo(DualKind kind) {
  return *find_if(kDuals,
                  [&](const DualInfo &info) { return info.kind == kind; });
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
