//===- Convert.cpp - cvt --------------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion goes through a function pointer, one lane after another.
// Frequent conversions have their own handlers.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Conversions.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// Any types
//===----------------------------------------------------------------------===//

struct ConvertExtra : Extra {
  Conversion convert;
  ConvertFlags flags;
};

template <class To, class From>
Outcome convertLanes(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const ConvertExtra &>(*inst.extra);
  To *d = warp.lanes<To>(inst.operands[0]);
  const From *a = warp.lanes<From>(inst.operands[1]);
  forEachLane(warp.exec, [&](unsigned lane) {
    d[lane] = To(extra.convert(a[lane], extra.flags));
  });
  return Outcome::Next;
}

template <class To> Handler getConvertLanes(unsigned fromBytes) {
  switch (fromBytes) {
  case 2:
    return convertLanes<To, uint16_t>;
  case 4:
    return convertLanes<To, uint32_t>;
  case 8:
    return convertLanes<To, uint64_t>;
  default:
    return nullptr;
  }
}

Handler getConvertLanes(unsigned toBytes, unsigned fromBytes) {
  switch (toBytes) {
  case 2:
    return getConvertLanes<uint16_t>(fromBytes);
  case 4:
    return getConvertLanes<uint32_t>(fromBytes);
  case 8:
    return getConvertLanes<uint64_t>(fromBytes);
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Frequent types
//===----------------------------------------------------------------------===//

struct HalfFromSingle {
  uint16_t operator()(float a) const { return floatToHalf(a); }
};
struct BFloatFromSingle {
  uint16_t operator()(float a) const { return floatToBFloat(a); }
};
struct SingleFromHalf {
  float operator()(uint16_t a) const { return halfToFloat(a); }
};
struct SingleFromBFloat {
  float operator()(uint16_t a) const { return bfloatToFloat(a); }
};
template <class T> struct SingleFromInteger {
  float operator()(T a) const { return float(a); }
};
template <class T, Rounding rounding> struct IntegerFromSingle {
  T operator()(uint32_t a) const {
    return convertToInteger<T, SingleValue, rounding>(a, ConvertFlags());
  }
};
template <class To, class From> struct Extend {
  To operator()(From a) const { return To(a); }
};

/// With the types' own register widths and no flag; null for the others.
Handler getFrequent(Type to, Type from, Rounding rounding) {
  bool isNearest = rounding == Rounding::NearestEven;
  auto is = [&](Type t, Type f) { return to == t && from == f; };
  bool toWord = to == Type::U32 || to == Type::S32;
  bool toLong = to == Type::U64 || to == Type::S64;
  if (is(Type::F16, Type::F32) && isNearest)
    return getLaneOp<HalfFromSingle>();
  if (is(Type::BF16, Type::F32) && isNearest)
    return getLaneOp<BFloatFromSingle>();
  if (is(Type::F32, Type::F16))
    return getLaneOp<SingleFromHalf>();
  if (is(Type::F32, Type::BF16))
    return getLaneOp<SingleFromBFloat>();
  if (is(Type::F32, Type::S32) && isNearest)
    return getLaneOp<SingleFromInteger<int32_t>>();
  if (is(Type::F32, Type::U32) && isNearest)
    return getLaneOp<SingleFromInteger<uint32_t>>();
  if (is(Type::S32, Type::F32) && rounding == Rounding::TowardZero)
    return getLaneOp<IntegerFromSingle<int32_t, Rounding::TowardZero>>();
  if (is(Type::S32, Type::F32) && isNearest)
    return getLaneOp<IntegerFromSingle<int32_t, Rounding::NearestEven>>();
  if (toLong && from == Type::U32)
    return getLaneOp<Extend<uint64_t, uint32_t>>();
  if (toLong && from == Type::S32)
    return getLaneOp<Extend<int64_t, int32_t>>();
  if (toWord && from == Type::U16)
    return getLaneOp<Extend<uint32_t, uint16_t>>();
  if (toWord && from == Type::S16)
    return getLaneOp<Extend<int32_t, int16_t>>();
  if (toWord && (from == Type::U64 || from == Type::S64))
    return getLaneOp<Extend<uint32_t, uint64_t>>();
  if ((to == Type::U16 || to == Type::S16) &&
      (from == Type::U32 || from == Type::S32))
    return getLaneOp<Extend<uint16_t, uint32_t>>();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The type by which to name an operand that may be wider than `type`.
Type getOperandType(Decoder &d, unsigned index, Type type) {
  Type reg = d.getRegisterType(d.operand(index));
  if (reg == Type::None || reg == Type::Pred)
    return type;
  if (ptx::getBitWidth(reg) < ptx::getBitWidth(type) || getSlotBytes(reg) > 8)
    d.fail(llvm::formatv("operand {0} has the wrong width for .{1}", index + 1,
                         ptx::getName(type)));
  return reg;
}

bool isPackedOrTensor(Type type) {
  switch (type) {
  case Type::F16x2:
  case Type::BF16x2:
  case Type::E4M3x2:
  case Type::E5M2x2:
  case Type::TF32:
    return true;
  default:
    return false;
  }
}

/// Returns whether a conversion without a rounding is exact or of integers.
bool needsRounding(Type to, Type from) {
  if (!ptx::isFloat(to) && !ptx::isFloat(from))
    return false;
  if (!ptx::isFloat(to) || !ptx::isFloat(from))
    return true;
  if (to == from || to == Type::F64)
    return false;
  return to != Type::F32 || from == Type::F64;
}

void decodeCvt(Decoder &d, Modifiers &mods) {
  if (mods.take("pack"))
    return decodeIntegerPack(d, mods);
  static constexpr Rounding kIntegral[] = {Rounding::NearestEven,
                                           Rounding::TowardZero, Rounding::Down,
                                           Rounding::Up};
  std::optional<unsigned> integral =
      mods.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  std::optional<Rounding> taken = takeRounding(mods);
  Rounding rounding =
      integral ? kIntegral[*integral] : taken.value_or(Rounding::NearestEven);
  ConvertFlags flags;
  flags.ftz = mods.take("ftz");
  flags.sat = mods.take("sat");
  flags.relu = mods.take("relu");
  flags.satfinite = mods.take("satfinite");
  std::optional<Type> to = expectType(d, mods), from = expectType(d, mods);
  if (!to || !from)
    return;
  if (isPackedOrTensor(*to) || isPackedOrTensor(*from))
    return decodePackedConversion(d, mods, rounding, flags, *to, *from);
  if (needsRounding(*to, *from) && !integral && !taken)
    return d.fail("the conversion needs a rounding");
  Conversion convert =
      getConversion(*to, *from, rounding, integral.has_value());
  if (!convert)
    return d.fail("the conversion is not supported");
  Type toType = getOperandType(d, 0, *to);
  Type fromType = getOperandType(d, 1, *from);
  bool isPlain = !flags.ftz && !flags.sat && !flags.relu && !flags.satfinite &&
                 getSlotBytes(toType) == getSlotBytes(*to) &&
                 getSlotBytes(fromType) == getSlotBytes(*from);
  Handler run = isPlain ? getFrequent(*to, *from, rounding) : nullptr;
  if (!run) {
    auto extra = std::make_unique<ConvertExtra>();
    extra->convert = convert;
    extra->flags = flags;
    d.code->extra = std::move(extra);
    run = getConvertLanes(getSlotBytes(toType), getSlotBytes(fromType));
  }
  emit(d, run, toType, {fromType});
}

} // namespace

static constexpr FamilyEntry kEntries[] = {{"cvt", decodeCvt}};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getConvertFamily() { return kEntries; }
