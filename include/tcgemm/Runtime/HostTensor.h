//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors with strides, their initial contents, and the conversions of their
// element types. A conversion to a narrower float type rounds once, to nearest
// with ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_HOSTTENSOR_H
#define TCGEMM_RUNTIME_HOSTTENSOR_H

#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace tcgemm {

/// The value of the element at `data`. Integers wider than 53 bits round.
double loadElement(ScalarType type, const void *data);
/// Writes `value`, rounded to `type` (float types) or truncated to its bits.
void storeElement(ScalarType type, double value, void *data);
/// The same for the element with this offset. Elements of 4 bits share a byte.
double loadElement(ScalarType type, const uint8_t *data, int64_t offset);
void storeElement(ScalarType type, double value, uint8_t *data, int64_t offset);
/// The bytes of an element of value `value`, which is an integer for integer
/// types. Integers keep their low bits.
std::vector<uint8_t> encodeScalar(ScalarType type, const ScalarConstant &value);
/// `value` rounded to the float type `type`; overflow gives infinity.
double roundToType(ScalarType type, double value);
/// The largest finite value of the float type `type`, and the smallest positive
/// normal one.
double getLargest(ScalarType type);
double getSmallestNormal(ScalarType type);
/// The distance between `value` and the next larger magnitude of `type`.
double getUlp(ScalarType type, double value);

/// Shape and strides in elements, outermost first.
struct StridedShape {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  /// Row-major with `padding` elements after each row (the innermost
  /// dimension) of a tensor of rank 2 or more.
  static StridedShape rowMajor(llvm::ArrayRef<int64_t> sizes,
                               int64_t padding = 0);
  /// Like `rowMajor`, for sizes and a padding from user input, which must not
  /// be negative. Errors: the tensor has more than kMaxElements, where a size
  /// of 0 counts as 1.
  static llvm::Expected<StridedShape>
  createRowMajor(llvm::ArrayRef<int64_t> sizes, int64_t padding = 0);
  /// The limit ensures that neither offsets nor sizes in bytes overflow.
  static constexpr int64_t kMaxElements = int64_t(1) << 57;

  unsigned getRank() const { return sizes.size(); }
  int64_t getNumElements() const;
  /// Elements from the first to one past the last; 0 if there are none.
  int64_t getExtent() const;
  /// Calls `row(offset)` with the element offset of every innermost row (a
  /// scalar is one row).
  void forEachRow(llvm::function_ref<void(int64_t)> row) const;
  /// Calls `run(offset, count)` for runs of `count` contiguous elements that
  /// cover the tensor in row-major order. Strides must not be negative.
  void forEachRun(llvm::function_ref<void(int64_t, int64_t)> run) const;
  int64_t getRowSize() const { return sizes.empty() ? 1 : sizes.back(); }
  int64_t getRowStride() const { return strides.empty() ? 1 : strides.back(); }
};

/// A tensor that owns its memory. The bytes between its rows keep the initial
/// value of the vector.
struct HostTensor {
  ScalarType type = ScalarType::F32;
  StridedShape shape;
  std::vector<uint8_t> bytes;

  HostTensor() = default;
  HostTensor(ScalarType type, StridedShape shape, uint8_t fill = 0);

  double get(int64_t offset) const {
    return loadElement(type, bytes.data(), offset);
  }
  void set(int64_t offset, double value) {
    storeElement(type, value, bytes.data(), offset);
  }
};

/// Decodes `count` elements `stride` apart, from element `offset` of `data`.
void decodeRun(ScalarType type, const void *data, int64_t offset,
               int64_t stride, int64_t count, float *result);
void decodeRun(ScalarType type, const void *data, int64_t offset,
               int64_t stride, int64_t count, double *result);

/// The initial contents of a tensor.
struct FillOptions {
  enum Kind {
    Normal,   ///< Mean 0, deviation 1.
    Uniform,  ///< Uniform in (-1, 1).
    Integers, ///< -4 to 4 with equal probability: sums are exact in f32.
    Constant, ///< `value` everywhere.
    Special,  ///< Normal, with signed zeros, subnormal numbers, and rarely the
              ///< largest and smallest normal ones, infinities and NaN.
    File,     ///< The .npy file `path`.
    Values,   ///< The integers `values`, one for each element.
  };
  Kind kind = Normal;
  double value = 0;
  std::string path;
  std::vector<int64_t> values{};
};

/// Reads `normal`, `uniform`, `int`, `special`, `constant:VALUE` or a path to a
/// .npy file.
llvm::Expected<FillOptions> parseFill(llvm::StringRef text);

/// Fills a tensor. Element i (row-major, without padding) depends on
/// (seed, i) only: 16 bits of splitmix64(seed, i / 4) determine it. Normal
/// values are quantiles of the standard normal distribution at (bits + 1/2) /
/// 65536.
llvm::Error fillTensor(HostTensor &tensor, const FillOptions &options,
                       uint64_t seed);

/// The 64-bit hash of `index` and `seed` from which all random data is derived.
uint64_t mixSeed(uint64_t seed, uint64_t index);

/// Runs `body(i)` for i < count on all cores. `body` must be thread-safe.
void parallelFor(int64_t count, llvm::function_ref<void(int64_t)> body);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_HOSTTENSOR_H
