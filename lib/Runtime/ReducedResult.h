//===- ReducedResult.h - Checking one result of a reduction -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_REDUCEDRESULT_H
#define TCGEMM_LIB_RUNTIME_REDUCEDRESULT_H

#include "tcgemm/Target/Manifest.h"

#include <memory>

namespace tcgemm {

/// An element that is combined.
struct ReducedElement {
  double expected = 0, tolerance = 0;
  bool isExact = false;
  /// True if a sum may overflow, so that the element may be any value.
  bool mayBeSpecial = false;
};

/// The verdict on a result of the device.
struct ReducedVerdict {
  bool isRight = false;
  bool isExact = false; ///< Only the expected value is right.
  double expected = 0, tolerance = 0;
};

/// Collects what is known of one result from the elements that were added in
/// any order. Each kind of state has a class.
class ReducedResult {
public:
  ReducedResult(const OperandInfo &info, double actual);
  virtual ~ReducedResult() = default;

  /// Adds an element, which has the place `coordinate` along the dimension that
  /// is reduced, or among all elements.
  void add(const ReducedElement &element, int64_t coordinate);
  /// Adds the elements of another result of the same class.
  void merge(const ReducedResult &other);
  virtual ReducedVerdict judge() const = 0;
  int64_t getCount() const { return count; }

protected:
  virtual void addValue(const ReducedElement &element, int64_t coordinate) = 0;
  virtual void mergeValues(const ReducedResult &other) = 0;
  /// The greatest number of roundings that an element takes part in. Kernels
  /// combine in several levels, so that these are far fewer than elements.
  double getRoundings() const { return 32 + static_cast<double>(count) / 32; }
  /// The greatest rounding error of a number of magnitude 1.
  double getUnit() const {
    return info.type == ScalarType::F64 ? 0x1p-53 : 0x1p-24;
  }
  Combiner getCombiner() const { return info.reduction->combiner; }
  /// Judges a result by an interval around the expected value.
  ReducedVerdict judgeInterval(double expected, double low, double high) const;

  const OperandInfo &info;
  double actual; ///< The device's result.
  double initial;
  int64_t count = 0;
  bool isExact = true; ///< All elements are exact.
  bool mayBeSpecial = false;
};

/// The result of no elements of an output with a reduction. `actual` is the
/// device's result.
std::unique_ptr<ReducedResult> createReducedResult(const OperandInfo &info,
                                                   double actual);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_REDUCEDRESULT_H
