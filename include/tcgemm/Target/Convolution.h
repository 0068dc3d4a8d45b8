//===- Convolution.h - The windows of a convolution -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a matrix product whose A has a row for each pixel of the
// output and a column for each element of the filter: M = images · output
// height · output width, K = filter height · filter width · channels. A's
// elements are those of the images, many of them several times, and zeros where
// the window of a pixel exceeds its image.
//
// The memory of such an A is that of the images: a matrix with a row for each
// pixel of all images and a column for each channel.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_CONVOLUTION_H
#define TCGEMM_TARGET_CONVOLUTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

/// The largest value of any number of a Convolution.
inline constexpr int64_t kMaxConvolutionNumber = int64_t(1) << 20;

/// The place of an element of A in an image; outside of it, the element is 0.
struct ImagePlace {
  int64_t image, row, column, channel;
};

/// All pairs have the height first. Only the number of images is unknown.
struct Convolution {
  std::array<int64_t, 2> image{1, 1}; ///< Rows and columns of pixels.
  int64_t channels = 1;
  std::array<int64_t, 2> filter{1, 1}, strides{1, 1}, dilations{1, 1};
  /// Rows above and below of the image that are zero, columns left and right.
  std::array<int64_t, 2> before{}, after{};

  /// The rows (0) or columns (1) of an output; at least 1 if the rules hold.
  int64_t getOutput(unsigned side) const {
    int64_t reach = dilations[side] * (filter[side] - 1) + 1;
    int64_t room = image[side] + before[side] + after[side] - reach;
    return room < 0 ? 0 : room / strides[side] + 1;
  }
  /// The pixels of an image and of its output.
  int64_t getImagePixels() const { return image[0] * image[1]; }
  int64_t getOutputPixels() const { return getOutput(0) * getOutput(1); }
  /// K.
  int64_t getDepth() const { return filter[0] * filter[1] * channels; }
  /// The place of A's element (m, k).
  ImagePlace locate(int64_t m, int64_t k) const;
  bool isInside(const ImagePlace &place) const {
    return place.row >= 0 && place.row < image[0] && place.column >= 0 &&
           place.column < image[1];
  }

  friend bool operator==(const Convolution &a, const Convolution &b) {
    return a.image == b.image && a.channels == b.channels &&
           a.filter == b.filter && a.strides == b.strides &&
           a.dilations == b.dilations && a.before == b.before &&
           a.after == b.after;
  }
  friend llvm::hash_code hash_value(const Convolution &c) {
    return llvm::hash_combine(c.image[0], c.image[1], c.channels, c.filter[0],
                              c.filter[1], c.strides[0], c.strides[1],
                              c.dilations[0], c.dilations[1], c.before[0],
                              c.before[1], c.after[0], c.after[1]);
  }
};

/// The fields by name, in the order of texts: each has one number or two.
/// `image`, `channels` and `filter` are always written, the others if they
/// differ from their defaults.
struct ConvolutionField {
  llvm::StringLiteral name;
  bool isAlwaysWritten;
  llvm::MutableArrayRef<int64_t> (*get)(Convolution &);
};
llvm::ArrayRef<ConvolutionField> getConvolutionFields();
/// Returns whether texts have the field.
bool isWritten(const ConvolutionField &field, const Convolution &convolution);

/// A broken rule with the value and the limit; none if there is an output.
std::optional<std::string> findViolation(const Convolution &convolution);

} // namespace tcgemm

#endif // TCGEMM_TARGET_CONVOLUTION_H
