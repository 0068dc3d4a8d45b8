//===- Compare.cpp - setp, set and slct -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Comparisons.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Operand;
using ptx::Type;

namespace {

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
  MaskFunction functions[2] =
      {}; ///< The second one is for the upper half of packed types.
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

/// The unsigned comparisons `.lo` and the like use the names of the signed
/// ones.
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

/// d, a, b, and c if there is a combination. imm is the value of true; imm2
/// says whether each half of d has its own result.
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

/// The value of true, or nothing if the type cannot be a result.
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
/// A flushed subnormal is not negative.
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
