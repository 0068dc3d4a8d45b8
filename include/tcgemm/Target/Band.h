//===- Band.h - Matrices that are zero outside a band -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A band is all elements of a matrix whose column, less their row, is between
// two numbers. Outside of it the matrix is zero. Triangular matrices are bands
// with one limit. Kernels skip the parts of k that are zero for a whole tile.
//
// The rows and columns are those of the matrix in memory: of its two innermost
// dimensions, the last one has the columns.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_BAND_H
#define TCGEMM_TARGET_BAND_H

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

/// The largest distance of a limit from the diagonal.
inline constexpr int64_t kMaxBandLimit = int64_t(1) << 30;

struct Band {
  /// The least and the greatest column less row of the band; none: no limit.
  std::optional<int64_t> lower, upper;
  /// The elements of the diagonal are ones, whatever the memory holds.
  bool isUnit = false;
  /// The memory holds zeros outside the band. Otherwise it may hold anything,
  /// and kernels take zeros in its place.
  bool hasZeros = false;

  bool contains(int64_t row, int64_t column) const {
    int64_t distance = column - row;
    return (!lower || distance >= *lower) && (!upper || distance <= *upper);
  }
  /// The band of the transposed matrix.
  Band transpose() const;

  /// `lower`, or another name of the table, or `band:2:3` with the number of
  /// diagonals below and above the main one; `*`: all of them. Then `:zeros` if
  /// the memory holds zeros.
  std::string str() const;
  /// Reads what `str` writes. The error has the rule and the names.
  static llvm::Expected<Band> parse(llvm::StringRef text);

  friend bool operator==(const Band &a, const Band &b) {
    return a.lower == b.lower && a.upper == b.upper && a.isUnit == b.isUnit &&
           a.hasZeros == b.hasZeros;
  }
  friend bool operator!=(const Band &a, const Band &b) { return !(a == b); }
  friend llvm::hash_code hash_value(const Band &band) {
    return llvm::hash_combine(band.lower.has_value(), band.lower.value_or(0),
                              band.upper.has_value(), band.upper.value_or(0),
                              band.isUnit, band.hasZeros);
  }
};

/// The description of the texts of bands in the help of tools.
inline constexpr llvm::StringLiteral kBandHelp =
    "lower, upper, strict-lower, strict-upper, unit-lower, unit-upper, or "
    "band:L:U with L diagonals below and U above the main one; with :zeros if "
    "the memory holds zeros outside";

} // namespace tcgemm

#endif // TCGEMM_TARGET_BAND_H
