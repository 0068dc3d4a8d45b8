//===- ConvertScalar.cpp - Conversions between scalar types ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Conversions.h"

using namespace tcgemm;
using namespace tcgemm::emu;
using ptx::Type;

namespace {

/// Sign- or zero-extends a result to 64 bits.
template <class T> uint64_t extend(T value) {
  if constexpr (std::is_signed_v<T>)
    return uint64_t(int64_t(value));
  else
    return value;
}

template <class To, class From, Rounding rounding>
uint64_t floatToFloat(uint64_t bits, const ConvertFlags &flags) {
  using Bits = typename From::Bits;
  return convertFloat<To, From, rounding>(Bits(bits), flags);
}

template <class F, Rounding rounding>
uint64_t floatToIntegral(uint64_t bits, const ConvertFlags &flags) {
  return convertIntegral<F, rounding>(typename F::Bits(bits), flags);
}

template <class T, class From, Rounding rounding>
uint64_t floatToInteger(uint64_t bits, const ConvertFlags &flags) {
  using Bits = typename From::Bits;
  return extend(convertToInteger<T, From, rounding>(Bits(bits), flags));
}

template <class To, class T, Rounding rounding>
uint64_t integerToFloat(uint64_t bits, const ConvertFlags &flags) {
  return convertFromInteger<To, T, rounding>(T(bits), flags);
}

template <class T, class From>
uint64_t integerToInteger(uint64_t bits, const ConvertFlags &flags) {
  return extend(convertInteger<T, From>(From(bits), flags));
}

//===----------------------------------------------------------------------===//
// From types to template arguments
//===----------------------------------------------------------------------===//

template <class T> struct Tag {
  using type = T;
};

/// Calls fn with the integer type's tag; null for other types.
template <class Fn> Conversion forInteger(Type type, Fn fn) {
  switch (type) {
  case Type::U8:
    return fn(Tag<uint8_t>());
  case Type::S8:
    return fn(Tag<int8_t>());
  case Type::U16:
    return fn(Tag<uint16_t>());
  case Type::S16:
    return fn(Tag<int16_t>());
  case Type::U32:
    return fn(Tag<uint32_t>());
  case Type::S32:
    return fn(Tag<int32_t>());
  case Type::U64:
    return fn(Tag<uint64_t>());
  case Type::S64:
    return fn(Tag<int64_t>());
  default:
    return nullptr;
  }
}

template <class Fn> Conversion forFloat(Type type, Fn fn) {
  switch (type) {
  case Type::F16:
    return fn(Tag<HalfValue>());
  case Type::BF16:
    return fn(Tag<BFloatValue>());
  case Type::F32:
    return fn(Tag<SingleValue>());
  case Type::F64:
    return fn(Tag<DoubleValue>());
  default:
    return nullptr;
  }
}

template <Rounding rounding> Conversion getRounded(Type to, Type from) {
  bool isFloat = ptx::isFloat(to), wasFloat = ptx::isFloat(from);
  if (isFloat && wasFloat)
    return forFloat(to, [&](auto t) {
      return forFloat(from, [&](auto f) -> Conversion {
        return floatToFloat<typename decltype(t)::type,
                            typename decltype(f)::type, rounding>;
      });
    });
  if (isFloat)
    return forFloat(to, [&](auto t) {
      return forInteger(from, [&](auto f) -> Conversion {
        return integerToFloat<typename decltype(t)::type,
                              typename decltype(f)::type, rounding>;
      });
    });
  return forInteger(to, [&](auto t) {
    return forFloat(from, [&](auto f) -> Conversion {
      return floatToInteger<typename decltype(t)::type,
                            typename decltype(f)::type, rounding>;
    });
  });
}

template <Rounding rounding> Conversion getIntegral(Type type) {
  return forFloat(type, [](auto t) -> Conversion {
    return floatToIntegral<typename decltype(t)::type, rounding>;
  });
}

template <Rounding rounding>
Conversion getFor(Type to, Type from, bool isIntegral) {
  return isIntegral && to == from ? getIntegral<rounding>(to)
                                  : getRounded<rounding>(to, from);
}

} // namespace

Conversion tcgemm::emu::getConversion(Type to, Type from, Rounding rounding,
                                      bool isIntegral) {
  if (ptx::isInteger(to) && ptx::isInteger(from))
    return forInteger(to, [&](auto t) {
      return forInteger(from, [&](auto f) -> Conversion {
        return integerToInteger<typename decltype(t)::type,
                                typename decltype(f)::type>;
      });
    });
  switch (rounding) {
  case Rounding::NearestEven:
    return getFor<Rounding::NearestEven>(to, from, isIntegral);
  case Rounding::TowardZero:
    return getFor<Rounding::TowardZero>(to, from, isIntegral);
  case Rounding::Down:
    return getFor<Rounding::Down>(to, from, isIntegral);
  case Rounding::Up:
    return getFor<Rounding::Up>(to, from, isIntegral);
  case Rounding::NearestAway:
    return nullptr;
  }
  return nullptr;
}
