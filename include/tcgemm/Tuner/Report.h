//===- Report.h - Records as a page to look at ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One HTML file that needs nothing else: no network, no server. Its parts are
// in lib/Tuner/Report/page/ and are embedded in the library.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_REPORT_H
#define TCGEMM_TUNER_REPORT_H

#include "tcgemm/Tuner/Baseline.h"

namespace tcgemm {

struct ReportOptions {
  /// What the records come from: shown at the page's end.
  std::vector<std::string> sources;
  std::optional<Baseline> baseline;
  /// The roofline: dense TFLOP/s of the problems' type and GB/s of memory. 0:
  /// those of a typical board of the records' chip.
  double peakTflops = 0, bandwidthGBs = 0;
};

/// Writes the page. Records may be of several problems and platforms, in any
/// order; of each, the fastest, the distribution, the order in which they were
/// tried and the failures are shown.
void writeReport(llvm::ArrayRef<Record> records, const ReportOptions &options,
                 llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TUNER_REPORT_H
