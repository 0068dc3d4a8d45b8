//===- TensorMap.h - Fields and rules of TMA tensor maps --------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map describes to the Tensor Memory Accelerator (sm_90 and later) the
// layout of an array in global memory and the box that one instruction copies.
// This header has its fields with all values known, the rules for them, and
// their codes in cuTensorMapEncodeTiled.
//
// Properties that tcgemm does not vary are fixed: tiled mode, element strides
// 1, no interleave, zeros for elements out of bounds.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_TENSORMAP_H
#define TCGEMM_TARGET_TENSORMAP_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <string>

namespace tcgemm {

inline constexpr unsigned kMinTensorMapRank = 2;
inline constexpr unsigned kMaxTensorMapRank = 5;
inline constexpr int64_t kMaxTensorMapDim = int64_t(1) << 32;
/// Upper bound of byte strides, exclusive.
inline constexpr int64_t kTensorMapStrideLimit = int64_t(1) << 40;
inline constexpr unsigned kMaxTensorMapBox = 256;
/// Maximum size of a box in bytes: the shared memory of an SM of sm_90.
/// NVIDIA's manual does not mention this limit; the driver of CUDA 13.0
/// enforces it.
inline constexpr int64_t kMaxTensorMapBoxBytes = int64_t(228) * 1024;
/// The alignment of the base, the strides and a row of the box, in bytes.
inline constexpr unsigned kTensorMapAlignment = 16;

/// An encoded tensor map, which kernels take by value; 64-byte aligned.
using TensorMapImage = std::array<uint8_t, 128>;

/// The fields of a tensor map. Dimensions are innermost first, which is the
/// order of the coordinates of `cp.async.bulk.tensor`.
struct TensorMapDescription {
  ScalarType type = ScalarType::F16;
  uint64_t base = 0; ///< The address of element 0.
  /// Elements; coordinates outside read as zero and are not written.
  llvm::SmallVector<int64_t, kMaxTensorMapRank> dims{};
  /// Bytes, of the dimensions 1 and up: dimension 0 is contiguous.
  llvm::SmallVector<int64_t, kMaxTensorMapRank - 1> strides{};
  llvm::SmallVector<unsigned, kMaxTensorMapRank> box{}; ///< Elements.
  unsigned swizzle = 0;     ///< Span in bytes: 32, 64, 128, or 0 for none.
  unsigned l2Promotion = 0; ///< Bytes: 64, 128, 256, or 0 for none.
};

bool operator==(const TensorMapDescription &a, const TensorMapDescription &b);
inline bool operator!=(const TensorMapDescription &a,
                       const TensorMapDescription &b) {
  return !(a == b);
}

/// A broken rule: the field, and a text that has its value, the rule and the
/// limit.
struct TensorMapViolation {
  std::string field;
  std::string text;
};

/// The rules on what is known when the kernel is compiled: ranks, the box, the
/// swizzle and the promotion.
std::optional<TensorMapViolation>
findTensorMapViolation(ScalarType type, size_t numDims, size_t numStrides,
                       llvm::ArrayRef<unsigned> box, unsigned swizzle,
                       unsigned l2Promotion);

/// The rules for single values; the text does not name the field. The rule for
/// bases also applies to the offset from an aligned base.
std::optional<std::string> findTensorMapBaseViolation(uint64_t base);
std::optional<std::string> findTensorMapDimViolation(int64_t dim);
std::optional<std::string> findTensorMapStrideViolation(int64_t stride);

/// Checks all rules. The error has the form `strides[0]: 30 bytes, but …`.
llvm::Error checkTensorMap(const TensorMapDescription &map);

/// Bytes of one copy of the whole box, for the transaction count of an
/// mbarrier.
int64_t getBoxBytes(const TensorMapDescription &map);

/// CUtensorMapDataType.
unsigned getTensorMapTypeCode(ScalarType type);
/// CUtensorMapSwizzle of a span that obeys the rules.
unsigned getTensorMapSwizzleCode(unsigned swizzle);
/// CUtensorMapL2promotion of bytes that obey the rules.
unsigned getTensorMapPromotionCode(unsigned l2Promotion);

} // namespace tcgemm

#endif // TCGEMM_TARGET_TENSORMAP_H
