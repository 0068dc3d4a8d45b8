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

#include "tcgemm/Tuner/Baseline.h"

namespace tcgemm {

struct ReportOptions {
  /// The origins of the records, shown at the end of the page.
  std::vector<std::string> sources;
  std::optional<Baseline> baseline;
  /// The roofline: dense TFLOP/s of the problems' type and GB/s of memory. 0:
  /// the values of a typical board of the records' chip.
  double peakTflops = 0, bandwidthGBs = 0;
};

/// Writes the page. Records may be of several problems and platforms, in any
/// order. The page shows, for each of them, the fastest records, the
/// distribution, the order of the trials and the failures.
void writeReport(llvm::ArrayRef<Record> records, const ReportOptions &options,
                 llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TUNER_REPORT_H
