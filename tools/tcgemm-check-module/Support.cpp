//===- Support.cpp - Functions that code for the CPU needs ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "tcgemm/Runtime/HostTensor.h"

#include <cstring>

using namespace tcgemm;

namespace {
/// The type with which the target's calling convention passes 16-bit floats.
using Half = _Float16;

template <typename To, typename From> To copyBits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
template <typename Float> Float narrow(ScalarType type, double value) {
  uint16_t bits = 0;
  storeElement(type, value, &bits);
  return copyBits<Float>(bits);
}
template <typename Float> float widen(ScalarType type, Float value) {
  auto bits = copyBits<uint16_t>(value);
  return static_cast<float>(loadElement(type, &bits));
}

Half truncateFloatToHalf(float x) { return narrow<Half>(ScalarType::F16, x); }
Half truncateDoubleToHalf(double x) { return narrow<Half>(ScalarType::F16, x); }
float extendHalf(Half x) { return widen(ScalarType::F16, x); }
// The ABI returns bf16 in the register that it returns f16 in. GCC 12's library
// lacks the functions that the compiler may call to pass __bf16.
Half truncateFloatToBFloat(float x) {
  return narrow<Half>(ScalarType::BF16, x);
}
Half truncateDoubleToBFloat(double x) {
  return narrow<Half>(ScalarType::BF16, x);
}

/// The descriptor of an unranked memref.
struct UnrankedMemRef {
  int64_t rank;
  const int64_t *words;
};

/// The function for copies between memrefs that are not contiguous.
void copyMemRef(int64_t elementBytes, const UnrankedMemRef *source,
                const UnrankedMemRef *target) {
  int64_t rank = source->rank;
  const int64_t *sizes = source->words + 3;
  auto getData = [&](const UnrankedMemRef *memref) {
    return reinterpret_cast<char *const *>(memref->words)[1] +
           memref->words[2] * elementBytes;
  };
  int64_t count = 1;
  for (int64_t i = 0; i != rank; ++i)
    count *= sizes[i];
  for (int64_t n = 0; n != count; ++n) {
    int64_t rest = n, from = 0, to = 0;
    for (int64_t i = rank; i-- != 0; rest /= sizes[i]) {
      int64_t index = rest % sizes[i];
      from += index * source->words[3 + rank + i];
      to += index * target->words[3 + rank + i];
    }
    std::memcpy(getData(target) + to * elementBytes,
                getData(source) + from * elementBytes, elementBytes);
  }
}
} // namespace

void tcgemm::forEachSupportFunction(
    llvm::function_ref<void(llvm::StringRef name, void *address)> add) {
  add("__truncsfhf2", reinterpret_cast<void *>(&truncateFloatToHalf));
  add("__truncdfhf2", reinterpret_cast<void *>(&truncateDoubleToHalf));
  add("__extendhfsf2", reinterpret_cast<void *>(&extendHalf));
  add("__truncsfbf2", reinterpret_cast<void *>(&truncateFloatToBFloat));
  add("__truncdfbf2", reinterpret_cast<void *>(&truncateDoubleToBFloat));
  add("memrefCopy", reinterpret_cast<void *>(&copyMemRef));
}
