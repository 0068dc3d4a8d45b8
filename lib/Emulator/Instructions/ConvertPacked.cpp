//===- ConvertPacked.cpp - Conversions of packed numbers and tf32 ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Conversions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// The flags that the functors read from Instruction::imm.
enum Flag : uint64_t { kFinite = 1, kRelu = 2 };

template <class Format, Rounding rounding> struct Narrow {
  explicit Narrow(const Instruction &inst)
      : isFinite(inst.imm & kFinite), isRelu(inst.imm & kRelu) {}
  uint32_t convert(float value) const {
    // Not std::max: a NaN must stay one, and -0 becomes +0.
    value = isRelu && bitCast<uint32_t>(value) > 0x80000000 &&
                    bitCast<uint32_t>(value) <= 0xFF800000
                ? 0.0f
                : value;
    value = isRelu && value == 0 ? 0.0f : value;
    return narrowFloat<Format, rounding>(value, isFinite);
  }

  bool isFinite, isRelu;
};

/// Two floats into 32 bits, the first one above.
template <class Format, Rounding rounding>
struct PackHalves : Narrow<Format, rounding> {
  using Narrow<Format, rounding>::Narrow;
  uint32_t operator()(float a, float b) const {
    return this->convert(a) << 16 | this->convert(b);
  }
};

/// Two floats into 16 bits.
template <class Format>
struct PackBytes : Narrow<Format, Rounding::NearestEven> {
  using Narrow<Format, Rounding::NearestEven>::Narrow;
  uint16_t operator()(float a, float b) const {
    return uint16_t(this->convert(a) << 8 | this->convert(b));
  }
};

template <class Format>
struct NarrowHalves : Narrow<Format, Rounding::NearestEven> {
  using Narrow<Format, Rounding::NearestEven>::Narrow;
  uint16_t operator()(uint32_t a) const {
    uint32_t high = this->convert(halfToFloat(uint16_t(a >> 16)));
    return uint16_t(high << 8 | this->convert(halfToFloat(uint16_t(a))));
  }
};

template <float (*widen)(uint8_t)> struct WidenBytes {
  explicit WidenBytes(const Instruction &inst) : isRelu(inst.imm & kRelu) {}
  uint32_t operator()(uint16_t a) const {
    return uint32_t(convert(uint8_t(a >> 8))) << 16 | convert(uint8_t(a));
  }
  uint16_t convert(uint8_t bits) const {
    uint16_t half = floatToHalf(widen(bits));
    return isRelu ? clampBits<HalfBits>(half) : half;
  }
  bool isRelu;
};

template <Rounding rounding> struct ToTFloat : Narrow<TFloat, rounding> {
  using Narrow<TFloat, rounding>::Narrow;
  uint32_t operator()(float a) const { return this->convert(a) << 13; }
};

/// .rna truncates a NaN instead of making it canonical. .satfinite treats NaNs
/// as infinities, so they become the largest number.
struct ToTFloatAway {
  explicit ToTFloatAway(const Instruction &inst)
      : isFinite(inst.imm & kFinite) {}
  uint32_t operator()(uint32_t a) const {
    uint32_t bits = (SingleBits::isNaN(a) ? a : a + 0x1000) & 0xFFFFE000;
    bool isBeyond = (bits & SingleBits::kMagnitude) >= SingleBits::kInfinity;
    return isFinite && isBeyond ? bits - 0x2000 : bits;
  }
  bool isFinite;
};

/// Without flags and to nearest.
template <uint16_t (*narrow)(float)> struct PackPlain {
  uint32_t operator()(float a, float b) const {
    return uint32_t(narrow(a)) << 16 | narrow(b);
  }
};

template <class Format> Handler getPackHalves(Rounding rounding, bool isPlain) {
  switch (rounding) {
  case Rounding::NearestEven:
    if (isPlain)
      return std::is_same_v<Format, Half>
                 ? getLaneOp<PackPlain<floatToHalf>>()
                 : getLaneOp<PackPlain<floatToBFloat>>();
    return getLaneOp<PackHalves<Format, Rounding::NearestEven>>();
  case Rounding::TowardZero:
    return getLaneOp<PackHalves<Format, Rounding::TowardZero>>();
  default:
    return nullptr;
  }
}

Handler getToTFloat(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return getLaneOp<ToTFloat<Rounding::NearestEven>>();
  case Rounding::NearestAway:
    return getLaneOp<ToTFloatAway>();
  case Rounding::TowardZero:
    return getLaneOp<ToTFloat<Rounding::TowardZero>>();
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// c << 2n | a << n | b, a and b saturated to n bits.
struct IntegerPack {
  explicit IntegerPack(const Instruction &inst)
      : bits(unsigned(inst.imm)), isSigned(inst.imm2 != 0) {}
  uint32_t clamp(int32_t value) const {
    int64_t most = (int64_t(1) << (bits - isSigned)) - 1;
    int64_t least = isSigned ? -most - 1 : 0;
    int64_t clamped = value > most ? most : value < least ? least : value;
    return uint32_t(clamped) & ((1u << bits) - 1);
  }
  uint32_t operator()(int32_t a, int32_t b, uint32_t c) const {
    uint64_t above = uint64_t(c) << (2 * bits);
    return uint32_t(above) | clamp(a) << bits | clamp(b);
  }
  unsigned bits;
  bool isSigned;
};

} // namespace

void tcgemm::emu::decodePackedConversion(Decoder &d, Modifiers &,
                                         Rounding rounding,
                                         const ConvertFlags &flags, Type to,
                                         Type from) {
  if (flags.ftz || flags.sat)
    return d.fail("the conversion has no .ftz and no .sat");
  d.code->imm = (flags.satfinite ? kFinite : 0) | (flags.relu ? kRelu : 0);
  bool isNearest = rounding == Rounding::NearestEven;
  if (to == Type::TF32 && from == Type::F32)
    return emit(d, getToTFloat(rounding), Type::B32, {Type::F32});
  if (to == Type::F16x2 && from == Type::F32)
    return emit(d, getPackHalves<Half>(rounding, !d.code->imm), to,
                {Type::F32, Type::F32});
  if (to == Type::BF16x2 && from == Type::F32)
    return emit(d, getPackHalves<BFloat>(rounding, !d.code->imm), to,
                {Type::F32, Type::F32});
  Handler run = nullptr;
  bool isE4M3 = to == Type::E4M3x2;
  if (isNearest && (isE4M3 || to == Type::E5M2x2)) {
    if (!flags.satfinite)
      return d.fail("the conversion needs .satfinite");
    if (from == Type::F32)
      return emit(d,
                  isE4M3 ? getLaneOp<PackBytes<E4M3>>()
                         : getLaneOp<PackBytes<E5M2>>(),
                  Type::B16, {Type::F32, Type::F32});
    if (from == Type::F16x2)
      run = isE4M3 ? getLaneOp<NarrowHalves<E4M3>>()
                   : getLaneOp<NarrowHalves<E5M2>>();
    return emit(d, run, Type::B16, {Type::F16x2});
  }
  if (isNearest && to == Type::F16x2 && from == Type::E4M3x2)
    run = getLaneOp<WidenBytes<e4m3ToFloat>>();
  else if (isNearest && to == Type::F16x2 && from == Type::E5M2x2)
    run = getLaneOp<WidenBytes<e5m2ToFloat>>();
  emit(d, run, Type::F16x2, {Type::B16});
}

void tcgemm::emu::decodeIntegerPack(Decoder &d, Modifiers &mods) {
  static constexpr unsigned kBits[] = {16, 16, 8, 8, 4, 4, 2, 2};
  bool isSaturating = mods.take("sat");
  std::optional<unsigned> kind =
      mods.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!isSaturating || !kind || !mods.take("s32"))
    return d.fail("expected .sat, a type of up to 16 bits and .s32");
  d.code->imm = kBits[*kind];
  d.code->imm2 = *kind & 1;
  if (mods.take("b32") != (kBits[*kind] < 16))
    return d.fail(".b32 and a third source are for less than 16 bits");
  if (kBits[*kind] < 16)
    return emit(d, getLaneOp<IntegerPack>(), Type::U32,
                {Type::S32, Type::S32, Type::U32});
  emit(d, getLaneOp<IntegerPack>(), Type::U32, {Type::S32, Type::S32});
  if (!d.failed())
    d.code->operands.push_back(d.constant(0, Type::U32));
}
