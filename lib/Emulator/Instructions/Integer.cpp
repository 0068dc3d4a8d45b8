//===- Integer.cpp - Table of the integer instructions --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Scalar.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

bool tcgemm::emu::hasVectorExtensions() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("x86-64-v3");
  return has;
#else
  return false;
#endif
}

std::optional<Type> tcgemm::emu::expectType(Decoder &d, Modifiers &mods) {
  std::optional<Type> type = mods.takeType();
  if (!type)
    d.fail("the instruction needs a type");
  return type;
}

void tcgemm::emu::emit(Decoder &d, Handler run, Type result,
                       std::initializer_list<Type> arguments) {
  if (d.failed())
    return;
  if (!run)
    return d.fail("the instruction is not supported for this type");
  d.expectOperands(unsigned(1 + arguments.size()));
  if (d.failed())
    return;
  d.dst(0, result);
  unsigned index = 1;
  for (Type type : arguments)
    d.src(index++, type);
  d.code->run = run;
}

/// Integers and floating-point numbers share the opcode.
template <TypedDecoder integer, TypedDecoder floating>
static void decodeShared(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    (ptx::isFloat(*type) ? floating : integer)(d, mods, *type);
}

static constexpr FamilyEntry kShared[] = {
    {"add", decodeShared<decodeIntegerAdd, decodeFloatAdd>},
    {"sub", decodeShared<decodeIntegerSub, decodeFloatSub>},
    {"mul", decodeShared<decodeIntegerMul, decodeFloatMul>},
    {"mad", decodeShared<decodeIntegerMad, decodeFloatFma>},
    {"div", decodeShared<decodeIntegerDiv, decodeFloatDiv>},
    {"abs", decodeShared<decodeIntegerAbs, decodeFloatAbs>},
    {"neg", decodeShared<decodeIntegerNeg, decodeFloatNeg>},
    {"min", decodeShared<decodeIntegerMin, decodeFloatMin>},
    {"max", decodeShared<decodeIntegerMax, decodeFloatMax>},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getIntegerFamily() {
  static const std::vector<FamilyEntry> table = [] {
    std::vector<FamilyEntry> all;
    for (llvm::ArrayRef<FamilyEntry> part :
         {llvm::ArrayRef<FamilyEntry>(kShared), getIntegerArithmeticEntries(),
          getIntegerBitEntries(), getIntegerCarryEntries(), getLogicEntries()})
      llvm::append_range(all, part);
    return all;
  }();
  return table;
}
