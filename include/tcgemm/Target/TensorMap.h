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
// A map is in tiled mode, or in im2col mode if it has a window. Properties that
// tcgemm does not vary are fixed: element strides 1 in tiled mode, no
// interleave, zeros for elements out of bounds.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_TENSORMAP_H
#define TCGEMM_TARGET_TENSORMAP_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

inline constexpr unsigned kMinTensorMapRank = 2;
inline constexpr unsigned kMaxTensorMapRank = 5;
inline constexpr int64_t kMaxTensorMapDim = int64_t(1) << 32;
/// Upper bound of byte strides, exclusive.
inline constexpr int64_t kTensorMapStrideLimit = int64_t(1) << 40;
inline constexpr unsigned kMaxTensorMapBox = 256;
/// The limits of im2col mode with two spatial dimensions: the pixels of a box,
/// the corners of the window, and the step from one pixel to the next.
inline constexpr unsigned kMaxTensorMapPixels = 1024;
inline constexpr int kMinTensorMapCorner = -128, kMaxTensorMapCorner = 127;
inline constexpr unsigned kMaxTensorMapStep = 8;
/// The rank of a map in im2col mode: C, W, H, N.
inline constexpr unsigned kWindowRank = 4;
/// Maximum size of a box in bytes: the shared memory of an SM of sm_90.
/// NVIDIA's manual does not mention this limit; the driver of CUDA 13.0
/// enforces it.
inline constexpr int64_t kMaxTensorMapBoxBytes = int64_t(228) * 1024;
/// The alignment of the base, the strides and a row of the box, in bytes.
inline constexpr unsigned kTensorMapAlignment = 16;

/// An encoded tensor map, which kernels take by value; 64-byte aligned.
using TensorMapImage = std::array<uint8_t, 128>;

/// How a map in im2col mode goes through the pixels of images, whose dimensions
/// are C, W, H and N. A box has `box[0]` channels of each of `box[1]` pixels.
/// Pixels follow each other by `steps` along W from `lower` to W - 1 + `upper`,
/// both included, then along H in the same way, then along N. A copy gives the
/// first pixel, and an offset that is added to the coordinates of each. All
/// arrays have W and then H.
struct TensorMapWindow {
  std::array<int, 2> lower{}, upper{};
  std::array<unsigned, 2> steps{1, 1};

  friend bool operator==(const TensorMapWindow &a, const TensorMapWindow &b) {
    return a.lower == b.lower && a.upper == b.upper && a.steps == b.steps;
  }
  friend llvm::hash_code hash_value(const TensorMapWindow &w) {
    return llvm::hash_combine(w.lower[0], w.lower[1], w.upper[0], w.upper[1],
                              w.steps[0], w.steps[1]);
  }
};

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
  /// In im2col mode; `box` then has two entries.
  std::optional<TensorMapWindow> window{};
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
/// swizzle, the promotion and the window.
std::optional<TensorMapViolation>
findTensorMapViolation(ScalarType type, size_t numDims, size_t numStrides,
                       llvm::ArrayRef<unsigned> box, unsigned swizzle,
                       unsigned l2Promotion,
                       const std::optional<TensorMapWindow> &window = {});

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
