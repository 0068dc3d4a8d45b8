//===- ReportRuns.h - The runs that a page compares -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is the records of one file on one platform, before or after a given
// time. The page shows the best times of two runs side by side.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_REPORT_REPORTRUNS_H
#define TCGEMM_LIB_TUNER_REPORT_REPORTRUNS_H

#include "tcgemm/Tuner/Report.h"

namespace tcgemm {

struct ReportRun {
  std::string source; ///< The name of the file.
  Platform platform;
  std::string period; ///< `before TIME` or `since TIME`; empty: not divided.
  int64_t last = 0;   ///< The timestamp of its last measured record.
  /// The fastest measured record of each problem.
  std::vector<Record> best;
};

/// The runs of the files that have measured records: in the order of the files,
/// then by `last`. Errors: a file cannot be read.
llvm::Expected<std::vector<ReportRun>>
listRuns(llvm::ArrayRef<ReportSource> sources, const ReportOptions &options);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_REPORT_REPORTRUNS_H
