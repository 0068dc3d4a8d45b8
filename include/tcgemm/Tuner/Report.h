//===- Report.h - Records as an HTML page -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One self-contained HTML file, which needs neither network nor server. Its
// parts are in lib/Tuner/Report/page/ and are embedded in the library.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_REPORT_H
#define TCGEMM_TUNER_REPORT_H

#include "tcgemm/Store/Store.h"
#include "tcgemm/Tuner/Baseline.h"

#include <limits>

namespace tcgemm {

/// A file of records. The page compares the files' best times.
struct ReportSource {
  std::string name;
  const Store *store = nullptr;
};

struct ReportOptions {
  std::optional<Baseline> baseline;
  /// The roofline: dense TFLOP/s of the problems' type and GB/s of memory. 0:
  /// the values of a typical board of the records' chip.
  double peakTflops = 0, bandwidthGBs = 0;
  /// Only records of this chip; empty: all.
  std::string chip;
  /// The most records of a problem on a platform that are in the page one by
  /// one: the fastest. All are counted.
  uint64_t details = std::numeric_limits<uint64_t>::max();
  /// Seconds since 1970, UTC: the records before and since then are separate
  /// runs. None: time does not divide records.
  std::optional<int64_t> split;
  /// Seconds after which an open page loads itself again; 0: never.
  unsigned reloadSeconds = 0;
};

/// Writes the page. Records may be of several problems and platforms. The page
/// shows, for each of them, the fastest records, the distribution, the order of
/// the trials and the failures. `store` has the records of all sources. If
/// these have several runs (a source on a platform, before or since `split`),
/// the page also compares the best times of two runs. It needs memory for the
/// records of one problem on one platform and for the best records, not for
/// all. Errors: a store cannot be read.
llvm::Error writeReport(const Store &store,
                        llvm::ArrayRef<ReportSource> sources,
                        const ReportOptions &options, llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TUNER_REPORT_H
