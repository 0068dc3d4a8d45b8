//===- Scalar.h - Helpers of the scalar families ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many opcodes are both an integer and a floating-point instruction. The
// integer family's table has those and looks at the type.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SCALAR_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SCALAR_H

#include "Instructions/LaneOps.h"
#include "Machine/Decoder.h"

namespace tcgemm::emu {

/// Decodes an instruction whose type has been taken from the modifiers.
using TypedDecoder = void (*)(Decoder &, Modifiers &, ptx::Type);

// Integers: IntegerArithmetic.cpp and IntegerMinMax.cpp.
void decodeIntegerAdd(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerSub(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerMul(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerMad(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerDiv(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerAbs(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerNeg(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerMin(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeIntegerMax(Decoder &d, Modifiers &mods, ptx::Type type);

// With .cc and the like: IntegerCarry.cpp. `part` is 0 for .lo and 1 for .hi.
void decodeAddWithCarry(Decoder &d, ptx::Type type);
void decodeSubWithBorrow(Decoder &d, ptx::Type type);
void decodeMadWithCarry(Decoder &d, ptx::Type type, unsigned part);

// Floating-point numbers: Float*.cpp.
void decodeFloatAdd(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatSub(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatMul(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatFma(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatDiv(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatAbs(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatNeg(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatMin(Decoder &d, Modifiers &mods, ptx::Type type);
void decodeFloatMax(Decoder &d, Modifiers &mods, ptx::Type type);

// Sub-tables of families that have several files.
llvm::ArrayRef<FamilyEntry> getIntegerArithmeticEntries(); // mul24, rem …
llvm::ArrayRef<FamilyEntry> getIntegerBitEntries();        // popc, bfe …
llvm::ArrayRef<FamilyEntry> getIntegerCarryEntries();      // addc, madc …
llvm::ArrayRef<FamilyEntry> getLogicEntries();             // and, lop3, shl …
llvm::ArrayRef<FamilyEntry> getAddressEntries();           // cvta, mapa …

/// Takes the type and fails without one.
std::optional<ptx::Type> expectType(Decoder &d, Modifiers &mods);

/// Decodes a destination and sources of the given types and sets the handler;
/// fails if there is none, for then the instruction has no such type.
void emit(Decoder &d, Handler run, ptx::Type result,
          std::initializer_list<ptx::Type> arguments);

/// The handler of Op<T> for the unsigned type T of `bits` bits: 16, 32 or 64.
template <template <class> class Op> Handler getForWidth(unsigned bits) {
  switch (bits) {
  case 16:
    return getLaneOp<Op<uint16_t>>();
  case 32:
    return getLaneOp<Op<uint32_t>>();
  case 64:
    return getLaneOp<Op<uint64_t>>();
  default:
    return nullptr;
  }
}

/// The handler of Op<T> for a signed or unsigned type of 32 or 64 bits.
template <template <class> class Op> Handler getForWord(ptx::Type type) {
  switch (type) {
  case ptx::Type::U32:
    return getLaneOp<Op<uint32_t>>();
  case ptx::Type::U64:
    return getLaneOp<Op<uint64_t>>();
  case ptx::Type::S32:
    return getLaneOp<Op<int32_t>>();
  case ptx::Type::S64:
    return getLaneOp<Op<int64_t>>();
  default:
    return nullptr;
  }
}

/// The handler of Op<T> for a signed or unsigned type of 16, 32 or 64 bits.
template <template <class> class Op> Handler getForInteger(ptx::Type type) {
  switch (type) {
  case ptx::Type::U16:
    return getLaneOp<Op<uint16_t>>();
  case ptx::Type::S16:
    return getLaneOp<Op<int16_t>>();
  default:
    return getForWord<Op>(type);
  }
}

/// Applies Op to the halves of 32-bit words.
template <class Half, class Op> struct OnHalves {
  TCGEMM_INLINE uint32_t operator()(uint32_t a, uint32_t b) const {
    uint16_t low = uint16_t(Op()(Half(a), Half(b)));
    uint16_t high = uint16_t(Op()(Half(a >> 16), Half(b >> 16)));
    return low | uint32_t(high) << 16;
  }
};

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_SCALAR_H
