//===- Compare.cpp - setp, set and slct -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatOps.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Operand;
using ptx::Type;

namespace {

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// clang-format off
enum class Comparison : uint8_t {
  Eq, Ne, Lt, Le, Gt, Ge,             // of all types; false for NaNs
  Equ, Neu, Ltu, Leu, Gtu, Geu,       // true for NaNs
  Num, Nan,                           // whether there is a NaN
};
// clang-format on

template <Comparison comparison, class T> TCGEMM_INLINE bool compare(T a, T b) {
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    // Not `a != b`, which is true for NaNs.
    return a < b || a > b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::Equ:
    return !(a < b || a > b);
  case Comparison::Neu:
    return !(a == b);
  case Comparison::Ltu:
    return !(a >= b);
  case Comparison::Leu:
    return !(a > b);
  case Comparison::Gtu:
    return !(a <= b);
  case Comparison::Geu:
    return !(a < b);
  case Comparison::Num:
    return a == a && b == b;
  case Comparison::Nan:
    return !(a == a && b == b);
  }
}

// How values lie in registers and what is compared.
template <class T> struct Plain {
  using Raw = T;
  static T get(T raw, bool) { return raw; }
};
struct Single {
  using Raw = float;
  static float get(float raw, bool ftz) { return ftz ? flushFloat(raw) : raw; }
};
template <unsigned shift> struct HalfAt {
  using Raw = std::conditional_t<shift == 32, uint16_t, uint32_t>;
  static float get(Raw raw, bool ftz) {
    uint16_t bits = uint16_t(shift == 32 ? raw : raw >> (shift & 31));
    return halfToFloat(ftz ? HalfBits::flush(bits) : bits);
  }
};
template <unsigned shift> struct BFloatAt {
  using Raw = std::conditional_t<shift == 32, uint16_t, uint32_t>;
  static float get(Raw raw, bool) {
    return bfloatToFloat(uint16_t(shift == 32 ? raw : raw >> (shift & 31)));
  }
};

/// The lanes for which a comparison of two slots holds.
using MaskFunction = uint32_t (*)(const void *a, const void *b, bool ftz);

template <Comparison comparison, class Access>
TCGEMM_INLINE uint32_t compareSlots(const void *left, const void *right,
                                    bool ftz) {
  using Raw = typename Access::Raw;
  const Raw *a = static_cast<const Raw *>(left);
  const Raw *b = static_cast<const Raw *>(right);
  // Whole bytes first: the host turns those into bits 32 at a time.
  alignas(32) uint8_t bytes[kWarpSize];
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != kWarpSize; ++lane)
    bytes[lane] = compare<comparison>(Access::get(a[lane], ftz),
                                      Access::get(b[lane], ftz))
                      ? 0xFF
                      : 0;
  uint32_t holds = 0;
  for (unsigned i = 0; i != kWarpSize; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes + i, sizeof(eight));
    // Gathers the lowest bits of eight bytes in the highest byte.
    eight = (eight & 0x0101010101010101) * 0x0102040810204080;
    holds |= uint32_t(eight >> 56) << i;
  }
  return holds;
}

template <Comparison comparison, class Access>
uint32_t compareLanes(const void *a, const void *b, bool ftz) {
  return compareSlots<comparison, Access>(a, b, ftz);
}

#if defined(__x86_64__)
template <Comparison comparison, class Access>
__attribute__((target("arch=x86-64-v3")))
uint32_t compareWide(const void *a, const void *b, bool ftz) {
  return compareSlots<comparison, Access>(a, b, ftz);
}
#endif

template <Comparison comparison, class Access> MaskFunction getCompareLanes() {
#if defined(__x86_64__)
  if (hasVectorExtensions())
    return compareWide<comparison, Access>;
#endif
  return compareLanes<comparison, Access>;
}

template <class Access> MaskFunction getForComparison(Comparison comparison) {
  switch (comparison) {
  case Comparison::Eq:
    return getCompareLanes<Comparison::Eq, Access>();
  case Comparison::Ne:
    return getCompareLanes<Comparison::Ne, Access>();
  case Comparison::Lt:
    return getCompareLanes<Comparison::Lt, Access>();
  case Comparison::Le:
    return getCompareLanes<Comparison::Le, Access>();
  case Comparison::Gt:
    return getCompareLanes<Comparison::Gt, Access>();
  case Comparison::Ge:
    return getCompareLanes<Comparison::Ge, Access>();
  default:
    break;
  }
  if constexpr (std::is_integral_v<decltype(Access::get({}, false))>)
    return nullptr;
  switch (comparison) {
  case Comparison::Equ:
    return getCompareLanes<Comparison::Equ, Access>();
  case Comparison::Neu:
    return getCompareLanes<Comparison::Neu, Access>();
  case Comparison::Ltu:
    return getCompareLanes<Comparison::Ltu, Access>();
  case Comparison::Leu:
    return getCompareLanes<Comparison::Leu, Access>();
  case Comparison::Gtu:
    return getCompareLanes<Comparison::Gtu, Access>();
  case Comparison::Geu:
    return getCompareLanes<Comparison::Geu, Access>();
  case Comparison::Num:
    return getCompareLanes<Comparison::Num, Access>();
  default:
    return getCompareLanes<Comparison::Nan, Access>();
  }
}

/// `part` is the half of a packed type.
MaskFunction getMaskFunction(Type type, Comparison comparison,
                             unsigned part = 0) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return getForComparison<Plain<uint16_t>>(comparison);
  case Type::S16:
    return getForComparison<Plain<int16_t>>(comparison);
  case Type::B32:
  case Type::U32:
    return getForComparison<Plain<uint32_t>>(comparison);
  case Type::S32:
    return getForComparison<Plain<int32_t>>(comparison);
  case Type::B64:
  case Type::U64:
    return getForComparison<Plain<uint64_t>>(comparison);
  case Type::S64:
    return getForComparison<Plain<int64_t>>(comparison);
  case Type::F32:
    return getForComparison<Single>(comparison);
  case Type::F64:
    return getForComparison<Plain<double>>(comparison);
  case Type::F16:
    return getForComparison<HalfAt<32>>(comparison);
  case Type::F16x2:
    return part ? getForComparison<HalfAt<16>>(comparison)
                : getForComparison<HalfAt<0>>(comparison);
  case Type::BF16:
    return getForComparison<BFloatAt<32>>(comparison);
  case Type::BF16x2:
    return part ? getForComparison<BFloatAt<16>>(comparison)
                : getForComparison<BFloatAt<0>>(comparison);
  default:
    return nullptr;
  }
}

bool isPair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

//===----------------------------------------------------------------------===//
// setp
//===----------------------------------------------------------------------===//

enum class Combine : uint8_t { None, And, Or, Xor };

uint32_t combine(Combine how, uint32_t a, uint32_t b) {
  switch (how) {
  case Combine::None:
    return a;
  case Combine::And:
    return a & b;
  case Combine::Or:
    return a | b;
  case Combine::Xor:
    return a ^ b;
  }
  return a;
}

struct CompareExtra : Extra {
  MaskFunction functions[2] = {}; ///< Of packed types: the upper half's too.
  Combine how = Combine::None;
  bool ftz = false;

  /// The result of half `part`, combined with the mask of operand `c` if any.
  uint32_t run(Warp &warp, const Instruction &inst, unsigned part,
               unsigned firstSource) const {
    return functions[part](warp.lanes<uint8_t>(inst.operands[firstSource]),
                           warp.lanes<uint8_t>(inst.operands[firstSource + 1]),
                           ftz);
  }
};

/// p, a, b: nothing else.
Outcome setPredicate(Warp &warp, const Instruction &inst) {
  auto &extra = static_cast<const CompareExtra &>(*inst.extra);
  warp.setMask(inst.operands[0], extra.run(warp, inst, 0, 1));
  return Outcome::Next;
}

/// p, q, a, b, and c if there is a combination. q is the opposite of p or, with
/// imm2, the result of the upper half.
Outcome setPredicates(Warp &warp, const Instruction &inst) {
  auto &extra = static_cast<const CompareExtra &>(*inst.extra);
  uint32_t p = extra.run(warp, inst, 0, 2);
  uint32_t q = inst.imm2 ? extra.run(warp, inst, 1, 2) : ~p;
  uint32_t c = extra.how == Combine::None ? 0 : warp.mask(inst.operands[4]);
  warp.setMask(inst.operands[0], combine(extra.how, p, c));
  warp.setMask(inst.operands[1], combine(extra.how, q, c));
  return Outcome::Next;
}

/// Unsigned comparisons of `.lo` and its kin are named after the others.
std::optional<Comparison> takeComparison(Decoder &d, Modifiers &mods,
                                         bool &isUnsigned) {
  auto first = mods.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                               "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (first)
    return Comparison(*first);
  isUnsigned = true;
  if (auto second = mods.takeOneOf({"lo", "ls", "hi", "hs"}))
    return Comparison(unsigned(Comparison::Lt) + *second);
  d.fail("the instruction needs a comparison");
  return std::nullopt;
}

Type makeUnsigned(Type type) {
  switch (type) {
  case Type::S16:
    return Type::U16;
  case Type::S32:
    return Type::U32;
  case Type::S64:
    return Type::U64;
  default:
    return type;
  }
}

Combine takeCombine(Modifiers &mods) {
  auto how = mods.takeOneOf({"and", "or", "xor"});
  return how ? Combine(*how + 1) : Combine::None;
}

/// Null after an error.
std::unique_ptr<CompareExtra> makeExtra(Decoder &d, Comparison comparison,
                                        bool isUnsigned, Type type) {
  auto extra = std::make_unique<CompareExtra>();
  bool isBits = type == Type::B16 || type == Type::B32 || type == Type::B64;
  if (isBits && comparison > Comparison::Ne) {
    d.fail("types without a sign have .eq and .ne only");
    return nullptr;
  }
  if (isUnsigned)
    type = makeUnsigned(type);
  if (!isUnsigned || !ptx::isFloat(type))
    for (unsigned part = 0; part != 2; ++part)
      extra->functions[part] = getMaskFunction(type, comparison, part);
  if (extra->functions[0])
    return extra;
  d.fail("the comparison is not supported for this type");
  return nullptr;
}

void decodeSetp(Decoder &d, Modifiers &mods) {
  bool isUnsigned = false;
  auto comparison = takeComparison(d, mods, isUnsigned);
  Combine how = takeCombine(mods);
  bool ftz = mods.take("ftz");
  std::optional<Type> type = expectType(d, mods);
  d.expectOperands(how == Combine::None ? 3 : 4);
  if (d.failed())
    return;
  auto extra = makeExtra(d, *comparison, isUnsigned, *type);
  if (!extra)
    return;
  extra->how = how;
  extra->ftz = ftz;
  const Operand &result = d.operand(0);
  bool hasTwo = result.kind == Operand::Kind::Pair;
  bool isSimple = !hasTwo && how == Combine::None;
  if (hasTwo) {
    d.dst(result.elements[0], Type::Pred);
    d.dst(result.elements[1], Type::Pred);
  } else {
    d.dst(result, Type::Pred);
    if (!isSimple)
      d.dst(Operand(), Type::Pred); // A sink.
  }
  d.src(1, *type);
  d.src(2, *type);
  if (how != Combine::None)
    d.src(3, Type::Pred);
  d.code->imm2 = isPair(*type) && hasTwo;
  if (isPair(*type) && !hasTwo)
    return d.fail("two predicates are needed");
  d.code->extra = std::move(extra);
  d.code->run = isSimple ? setPredicate : setPredicates;
}

//===----------------------------------------------------------------------===//
// set
//===----------------------------------------------------------------------===//

/// d, a, b, and c if there is a combination. imm is what `true` is; imm2
/// whether the halves of d are of their own.
template <class T> Outcome setValue(Warp &warp, const Instruction &inst) {
  auto &extra = static_cast<const CompareExtra &>(*inst.extra);
  uint32_t c = extra.how == Combine::None ? 0 : warp.mask(inst.operands[3]);
  uint32_t low = combine(extra.how, extra.run(warp, inst, 0, 1), c);
  uint32_t high =
      inst.imm2 ? combine(extra.how, extra.run(warp, inst, 1, 1), c) : 0;
  T *d = warp.lanes<T>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) {
    T value = low >> lane & 1 ? T(inst.imm) : T(0);
    if constexpr (sizeof(T) == 4)
      if (high >> lane & 1)
        value |= T(inst.imm) << 16;
    d[lane] = value;
  });
  return Outcome::Next;
}

/// What `true` is; none if it is no type of a result.
std::optional<uint64_t> getTrue(Type type, bool isPacked) {
  switch (type) {
  case Type::U16:
  case Type::S16:
    return 0xFFFF;
  case Type::U32:
  case Type::S32:
    return isPacked ? 0xFFFF : 0xFFFFFFFF;
  case Type::F32:
    return SingleBits::kOne;
  case Type::F16:
  case Type::F16x2:
    return HalfBits::kOne;
  case Type::BF16:
  case Type::BF16x2:
    return BFloatBits::kOne;
  default:
    return std::nullopt;
  }
}

void decodeSet(Decoder &d, Modifiers &mods) {
  bool isUnsigned = false;
  auto comparison = takeComparison(d, mods, isUnsigned);
  Combine how = takeCombine(mods);
  bool ftz = mods.take("ftz");
  std::optional<Type> to = expectType(d, mods), type = expectType(d, mods);
  if (d.failed())
    return;
  auto extra = makeExtra(d, *comparison, isUnsigned, *type);
  if (!extra)
    return;
  extra->how = how;
  extra->ftz = ftz;
  bool isPacked = isPair(*type);
  std::optional<uint64_t> yes = getTrue(*to, isPacked);
  unsigned bits = ptx::getBitWidth(*to);
  if (!yes || (isPacked && bits != 32) || (isPair(*to) && !isPacked))
    return d.fail("the result is not supported for this type");
  d.code->imm = *yes;
  d.code->imm2 = isPacked;
  d.code->extra = std::move(extra);
  Handler run = bits == 16 ? setValue<uint16_t> : setValue<uint32_t>;
  if (how == Combine::None)
    emit(d, run, *to, {*type, *type});
  else
    emit(d, run, *to, {*type, *type, Type::Pred});
}

//===----------------------------------------------------------------------===//
// slct
//===----------------------------------------------------------------------===//

template <class T> struct SlctInteger {
  T operator()(T a, T b, int32_t c) const { return c >= 0 ? a : b; }
};
template <class T> struct SlctFloat {
  T operator()(T a, T b, float c) const { return c >= 0 ? a : b; }
};
/// A subnormal that is flushed is no longer negative.
template <class T> struct SlctFlushing {
  T operator()(T a, T b, float c) const { return flushFloat(c) >= 0 ? a : b; }
};

void decodeSlct(Decoder &d, Modifiers &mods) {
  bool ftz = mods.take("ftz");
  std::optional<Type> type = expectType(d, mods), by = expectType(d, mods);
  if (!type || !by)
    return;
  unsigned bits = ptx::getBitWidth(*type);
  Handler run = nullptr;
  if (*by == Type::S32 && !ftz)
    run = getForWidth<SlctInteger>(bits);
  else if (*by == Type::F32)
    run = ftz ? getForWidth<SlctFlushing>(bits) : getForWidth<SlctFloat>(bits);
  emit(d, run, *type, {*type, *type, *by});
}

} // namespace

static constexpr FamilyEntry kEntries[] = {
    {"setp", decodeSetp},
    {"set", decodeSet},
    {"slct", decodeSlct},
};

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getCompareFamily() { return kEntries; }
