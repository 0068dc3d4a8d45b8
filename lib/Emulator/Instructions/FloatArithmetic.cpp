//===- FloatArithmetic.cpp - Floating-point addition and multiplication ---===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

std::optional<Rounding> tcgemm::emu::takeRounding(Modifiers &mods) {
  static constexpr Rounding kRoundings[] = {
      Rounding::NearestEven, Rounding::TowardZero, Rounding::Down, Rounding::Up,
      Rounding::NearestAway};
  if (auto index = mods.takeOneOf({"rn", "rz", "rm", "rp", "rna"}))
    return kRoundings[*index];
  return std::nullopt;
}

FloatModifiers tcgemm::emu::takeFloatModifiers(Modifiers &mods) {
  FloatModifiers result;
  result.rounding = takeRounding(mods);
  result.ftz = mods.take("ftz");
  result.sat = mods.take("sat");
  result.relu = mods.take("relu");
  return result;
}

namespace {

struct AddCore {
  template <class T> static T run(T a, T b) { return a + b; }
};
struct SubCore {
  template <class T> static T run(T a, T b) { return a - b; }
};
struct MulCore {
  template <class T> static T run(T a, T b) { return a * b; }
};

template <class Core, bool ftz, bool sat> struct FloatBinary {
  float operator()(float a, float b) const {
    a = prepareFloat<ftz>(a);
    b = prepareFloat<ftz>(b);
    float value = Core::run(a, b);
    if (ftz && std::is_same_v<Core, MulCore>)
      value = flushProduct(value, a * 0x1p24f * b);
    return finishFloat<ftz, sat>(value);
  }
};
template <bool ftz, bool sat> struct FloatFma {
  float operator()(float a, float b, float c) const {
    a = prepareFloat<ftz>(a);
    b = prepareFloat<ftz>(b);
    c = prepareFloat<ftz>(c);
    float value = __builtin_fmaf(a, b, c);
    if (ftz)
      value = flushProduct(value, __builtin_fmaf(a * 0x1p24f, b, c * 0x1p24f));
    return finishFloat<ftz, sat>(value);
  }
};

/// `add.f32.f16` and the like, from sm_100 on. The halves are widened first.
template <bool isBrain> float widenHalf(uint16_t bits) {
  return isBrain ? bitCast<float>(uint32_t(bits) << 16) : halfToFloat(bits);
}
template <class Core, bool isBrain, bool sat> struct MixedBinary {
  float operator()(uint16_t a, float b) const {
    return FloatBinary<Core, false, sat>()(widenHalf<isBrain>(a), b);
  }
};
template <bool isBrain, bool sat> struct MixedFma {
  float operator()(uint16_t a, uint16_t b, float c) const {
    return FloatFma<false, sat>()(widenHalf<isBrain>(a), widenHalf<isBrain>(b),
                                  c);
  }
};

template <class Core> struct DoubleBinary {
  double operator()(double a, double b) const {
    return preferNaN(b, Core::run(a, b));
  }
};
struct DoubleFma {
  double operator()(double a, double b, double c) const {
    return preferNaN(b, preferNaN(c, __builtin_fma(a, b, c)));
  }
};

/// Arithmetic of f32x2.
template <class Op> struct OnPairs {
  uint64_t operator()(uint64_t a, uint64_t b) const {
    auto at = [](uint64_t bits) { return bitCast<float>(uint32_t(bits)); };
    return bitCast<uint32_t>(Op()(at(a), at(b))) |
           uint64_t(bitCast<uint32_t>(Op()(at(a >> 32), at(b >> 32)))) << 32;
  }
};
template <class Op> struct OnTriples {
  uint64_t operator()(uint64_t a, uint64_t b, uint64_t c) const {
    auto at = [](uint64_t bits) { return bitCast<float>(uint32_t(bits)); };
    return bitCast<uint32_t>(Op()(at(a), at(b), at(c))) |
           uint64_t(
               bitCast<uint32_t>(Op()(at(a >> 32), at(b >> 32), at(c >> 32))))
               << 32;
  }
};

template <class Core> Handler getFloatBinary(bool ftz, bool sat) {
  if (ftz)
    return sat ? getLaneOp<FloatBinary<Core, true, true>>()
               : getLaneOp<FloatBinary<Core, true, false>>();
  return sat ? getLaneOp<FloatBinary<Core, false, true>>()
             : getLaneOp<FloatBinary<Core, false, false>>();
}

Handler getFloatFma(bool ftz, bool sat) {
  if (ftz)
    return sat ? getLaneOp<FloatFma<true, true>>()
               : getLaneOp<FloatFma<true, false>>();
  return sat ? getLaneOp<FloatFma<false, true>>()
             : getLaneOp<FloatFma<false, false>>();
}

template <class Core> Handler getMixedBinary(bool isBrain, bool sat) {
  if (isBrain)
    return sat ? getLaneOp<MixedBinary<Core, true, true>>()
               : getLaneOp<MixedBinary<Core, true, false>>();
  return sat ? getLaneOp<MixedBinary<Core, false, true>>()
             : getLaneOp<MixedBinary<Core, false, false>>();
}

Handler getMixedFma(bool isBrain, bool sat) {
  if (isBrain)
    return sat ? getLaneOp<MixedFma<true, true>>()
               : getLaneOp<MixedFma<true, false>>();
  return sat ? getLaneOp<MixedFma<false, true>>()
             : getLaneOp<MixedFma<false, false>>();
}

/// The type of the factors or of the first operand where that is not the
/// result's, f32.
std::optional<Type> takeMixedType(Modifiers &mods, Type type) {
  return type == Type::F32 ? mods.takeType() : std::nullopt;
}

/// Returns whether an instruction of several types is one that is known: to
/// nearest and with subnormal numbers.
bool isKnownMix(Type type, const FloatModifiers &modifiers) {
  return (type == Type::F16 || type == Type::BF16) && modifiers.isNearest() &&
         !modifiers.ftz && !modifiers.relu;
}

bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

/// The handler of everything that Add, Sub, Mul and Fma have in common: all but
/// rounding to nearest in f32 and f64. None, also after an error: it is one of
/// the latter.
std::optional<Handler> getCommon(Decoder &d, FloatOperation operation,
                                 Type type, const FloatModifiers &modifiers) {
  bool isSingle = type == Type::F32 || type == Type::F32x2;
  if (isHalf(type)) {
    if (!modifiers.isNearest())
      return nullptr;
    return getHalfOp(operation, type, modifiers);
  }
  if (!isSingle && (modifiers.ftz || modifiers.sat))
    return nullptr;
  if (modifiers.relu)
    return nullptr;
  if (modifiers.isNearest())
    return std::nullopt;
  if (type != Type::F32 && type != Type::F64)
    return nullptr;
  d.code->imm = packFloatModifiers(modifiers);
  return getDirectedOp(operation, type == Type::F64);
}

template <class Core, FloatOperation operation>
void decodeBinary(Decoder &d, Modifiers &mods, Type type) {
  FloatModifiers modifiers = takeFloatModifiers(mods);
  if (operation != FloatOperation::Mul)
    if (std::optional<Type> mixed = takeMixedType(mods, type))
      return emit(
          d,
          isKnownMix(*mixed, modifiers)
              ? getMixedBinary<Core>(*mixed == Type::BF16, modifiers.sat)
              : nullptr,
          type, {*mixed, type});
  std::optional<Handler> run = getCommon(d, operation, type, modifiers);
  if (!run && type == Type::F64)
    run = getLaneOp<DoubleBinary<Core>>();
  else if (!run && type == Type::F32)
    run = getFloatBinary<Core>(modifiers.ftz, modifiers.sat);
  else if (!run && type == Type::F32x2 && !modifiers.sat)
    run = modifiers.ftz ? getLaneOp<OnPairs<FloatBinary<Core, true, false>>>()
                        : getLaneOp<OnPairs<FloatBinary<Core, false, false>>>();
  emit(d, run.value_or(nullptr), type, {type, type});
}

} // namespace

void tcgemm::emu::decodeFloatAdd(Decoder &d, Modifiers &mods, Type type) {
  decodeBinary<AddCore, FloatOperation::Add>(d, mods, type);
}

void tcgemm::emu::decodeFloatSub(Decoder &d, Modifiers &mods, Type type) {
  decodeBinary<SubCore, FloatOperation::Sub>(d, mods, type);
}

void tcgemm::emu::decodeFloatMul(Decoder &d, Modifiers &mods, Type type) {
  decodeBinary<MulCore, FloatOperation::Mul>(d, mods, type);
}

/// Also of `mad`, which is the same since sm_20.
void tcgemm::emu::decodeFloatFma(Decoder &d, Modifiers &mods, Type type) {
  FloatModifiers modifiers = takeFloatModifiers(mods);
  if (!modifiers.rounding)
    return d.fail("the instruction needs a rounding, such as .rn");
  if (std::optional<Type> mixed = takeMixedType(mods, type))
    return emit(d,
                isKnownMix(*mixed, modifiers)
                    ? getMixedFma(*mixed == Type::BF16, modifiers.sat)
                    : nullptr,
                type, {*mixed, *mixed, type});
  std::optional<Handler> run =
      getCommon(d, FloatOperation::Fma, type, modifiers);
  if (!run && type == Type::F64)
    run = getLaneOp<DoubleFma>();
  else if (!run && type == Type::F32)
    run = getFloatFma(modifiers.ftz, modifiers.sat);
  else if (!run && type == Type::F32x2 && !modifiers.sat)
    run = modifiers.ftz ? getLaneOp<OnTriples<FloatFma<true, false>>>()
                        : getLaneOp<OnTriples<FloatFma<false, false>>>();
  emit(d, run.value_or(nullptr), type, {type, type, type});
}

static void decodeFma(Decoder &d, Modifiers &mods) {
  if (std::optional<Type> type = expectType(d, mods))
    decodeFloatFma(d, mods, *type);
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getFloatFamily() {
  static const std::vector<FamilyEntry> table = [] {
    std::vector<FamilyEntry> all{{"fma", decodeFma}};
    llvm::append_range(all, getFloatApproxEntries());
    llvm::append_range(all, getFloatSignEntries());
    return all;
  }();
  return table;
}
