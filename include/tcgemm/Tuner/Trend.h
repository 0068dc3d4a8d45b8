//===- Trend.h - Times of several versions ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records name the version of tcgemm that made them. For each problem and
// device, the best record of one version is compared with that of a later one.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_TREND_H
#define TCGEMM_TUNER_TREND_H

#include "tcgemm/Store/Store.h"

namespace tcgemm {

struct TrendOptions {
  /// The compared versions, or how they or their fingerprints begin. Empty: the
  /// latest version of a device, and the one before `to`.
  std::string from, to;
  /// A part of a device's name, in either case; empty: all devices.
  std::string device;
  /// The smallest change that counts: 0.02 for 2 %.
  double threshold = 0.02;
  /// The confidence level of the intervals: 0.95 for 95 %.
  double confidence = 0.95;
};

/// A ratio of times with its confidence interval.
struct RatioInterval {
  double ratio = 1, low = 1, high = 1;
};

enum class TrendVerdict {
  Faster,  ///< The whole interval is below 1 / (1 + threshold).
  Slower,  ///< The whole interval is above 1 + threshold.
  Same,    ///< The whole interval is between these.
  Unclear, ///< The samples are too few, or vary too much, for any of these.
  Failed   ///< The later version has failures only.
};
inline constexpr unsigned kNumTrendVerdicts = 5;
/// `faster`, `slower`, `same`, `not enough data`, `failed`.
llvm::StringRef getVerdictName(TrendVerdict verdict);

/// A version on a device.
struct TrendVersion {
  std::string name;
  int64_t first = 0; ///< The timestamp of its first record.
  uint64_t problems = 0;
};

struct TrendRow {
  TuningProblem problem;
  /// The best measured record of each version; none without a success.
  std::vector<std::optional<Record>> best;
  /// The ratio of the last version to the first one, if there is enough data.
  std::optional<RatioInterval> ratio;
  TrendVerdict verdict = TrendVerdict::Unclear;

  /// Returns whether the compared records have another driver or ptxas.
  bool hasOtherTools() const;
};

/// The comparison of two versions on a device.
struct DeviceTrend {
  std::string device, chip;
  /// From the first to the second of the compared versions, by the time of
  /// their first records.
  std::vector<TrendVersion> versions;
  /// The problems for which the first version has a success and the last one
  /// has records.
  std::vector<TrendRow> rows;
  /// Over the rows with a ratio.
  std::optional<RatioInterval> mean;
  std::array<uint64_t, kNumTrendVerdicts> counts{};
  /// Problems with a success in only one of the versions; those that failed in
  /// the last one are not counted.
  uint64_t onlyFirst = 0, onlyLast = 0;

  bool hasRegression() const {
    return counts[unsigned(TrendVerdict::Slower)] +
               counts[unsigned(TrendVerdict::Failed)] >
           0;
  }
};

/// Compares the versions on each device that has both. Errors: a threshold or a
/// confidence outside its range; a version or device that is not there, or that
/// is ambiguous.
llvm::Expected<std::vector<DeviceTrend>>
computeTrend(const Store &store, const TrendOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TUNER_TREND_H
