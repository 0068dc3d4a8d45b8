//===- ScalarType.h - Element types of kernels ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a manifest can name, with their sizes in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_SCALARTYPE_H
#define TCGEMM_TARGET_SCALARTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace tcgemm {

/// Signless integers are signed where their sign matters. New types go to the
/// end: tensor maps of the emulator hold the number.
enum class ScalarType {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  F16,
  BF16,
  F32,
  F64,
  U8,     ///< Unsigned operands of products.
  E4M3,   ///< OCP's FP8 without infinities: 448 is the largest value.
  E5M2,   ///< OCP's FP8 with infinities.
  TF32,   ///< Operands in memory as f32, rounded to 11 bits of significand.
  TF32X3, ///< Operands in memory as f32, split into parts: see Precision.h.
  BF16X3,
  BF16X6,
  F16Acc16, ///< Operands of f16 whose products instructions add in f16.
  I4,       ///< Signed operands, two in a byte: the first in its lower half.
  U4,       ///< Unsigned operands, as I4.
  U1, ///< Operands of one bit, eight in a byte: the first in its lowest bit.
  I4Interleaved, ///< As I4 and U4, but with the elements of each 32 along k in
  U4Interleaved, ///< another order: see getInterleavedPlace.
};
inline constexpr ScalarType kLastScalarType = ScalarType::U4Interleaved;

/// The name as MLIR writes it: `bf16`, `i32`, `index`, `f8E4M3FN`.
llvm::StringRef getTypeName(ScalarType type);
std::optional<ScalarType> parseScalarType(llvm::StringRef name);
/// The name as PTX instructions write it: `bf16`, `s8`, `e4m3`.
llvm::StringRef getPtxTypeName(ScalarType type);
/// Reads the name of MLIR or of PTX.
std::optional<ScalarType> parseOperandType(llvm::StringRef name);

bool isFloatType(ScalarType type);
/// Returns whether `type` is ui8, ui4, interleaved or not, or ui1.
inline bool isUnsignedType(ScalarType type) {
  return type == ScalarType::U8 || type == ScalarType::U4 ||
         type == ScalarType::U4Interleaved || type == ScalarType::U1;
}
/// Returns whether elements of `type` are interleaved.
inline bool isInterleaved(ScalarType type) {
  return type == ScalarType::I4Interleaved || type == ScalarType::U4Interleaved;
}
/// The same elements in order: i4 or ui4 if they are interleaved, else `type`.
ScalarType getTypeInOrder(ScalarType type);
/// The type of the elements of i4 or ui4 when they are interleaved; none for
/// other types.
std::optional<ScalarType> getInterleavedType(ScalarType type);
/// The number of neighbours along k that are interleaved.
inline constexpr int64_t kInterleavedDepth = 32;
/// The place of element `k` of a row of interleaved elements. A word of memory
/// has what one of the four lanes of a row multiplies in two instructions of
/// depth 16: element i and element i + 4 of a word are neighbours along k.
inline int64_t getInterleavedPlace(int64_t k) {
  int64_t pair = k / 8 % 4, lane = k / 2 % 4, half = k % 2;
  return k / kInterleavedDepth * kInterleavedDepth + 8 * lane + 4 * half + pair;
}
/// Returns whether `type` is e4m3 or e5m2.
inline bool isFP8(ScalarType type) {
  return type == ScalarType::E4M3 || type == ScalarType::E5M2;
}

/// The type of the buffers that hold operands of `type`: i8 for ui8, i4 for
/// ui4, i1 for ui1, f32 for tf32 and bf16x3, f16 for f16acc16. All other types
/// are those of their buffers. A buffer of i1 that products read as ui1 has
/// eight elements in a byte.
ScalarType getBufferType(ScalarType type);
/// The type that instructions multiply: bf16 for bf16x3, which stands for
/// operands that are sums of parts, and f16 for f16acc16. It is `type` for all
/// other types.
ScalarType getPartType(ScalarType type);
/// Returns whether kernels split operands of `type` into parts.
inline bool isSplitType(ScalarType type) {
  ScalarType part = getPartType(type);
  return part != type && part != getBufferType(type);
}
/// Returns whether kernels round operands of `type` after reading them.
inline bool roundsOperands(ScalarType type) {
  ScalarType part = getPartType(type);
  return isFloatType(part) && getBufferType(part) != part;
}

/// Width in bits; `index` has 64.
unsigned getBitWidth(ScalarType type);
/// Bytes of one element in memory, or of those that share a byte; `i1` takes
/// one.
unsigned getByteSize(ScalarType type);
/// The elements that share the bytes of getByteSize: 2 for elements of 4 bits,
/// 8 for ui1, 1 for all others.
int64_t getPackedElements(ScalarType type);
/// The length of a row must be a multiple of this number of elements. It is the
/// number that share a byte, or the number that are interleaved.
int64_t getRowUnit(ScalarType type);
/// The bytes of `elements` neighbours in memory, rounded up.
int64_t getByteCount(ScalarType type, int64_t elements);
/// The byte where the element with this offset lies.
int64_t getByteOffset(ScalarType type, int64_t element);

/// The value of a scalar: a double for float types; empty if there is none.
using ScalarConstant = std::variant<std::monostate, int64_t, double>;

} // namespace tcgemm

#endif // TCGEMM_TARGET_SCALARTYPE_H
