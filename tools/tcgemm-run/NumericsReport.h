//===- NumericsReport.h - Errors of products, printed and drawn -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSREPORT_H
#define TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSREPORT_H

#include "Report.h"

#include "tcgemm/Runtime/Numerics.h"

namespace tcgemm {

/// The error of one mode for one kind of data and one depth.
struct NumericsRow {
  NumericsData data;
  int64_t k;
  std::string mode; ///< `loop`, or the name of a NumericsMode.
  NumericsError error;
};

struct NumericsReport {
  std::string title; ///< Type, size and device.
  std::vector<NumericsRow> rows;

  /// Each in the order of the rows, without repetitions.
  std::vector<NumericsData> getData() const;
  std::vector<int64_t> getDepths() const;
  std::vector<std::string> getModes() const;
  /// Null if it was not measured.
  const NumericsRow *find(NumericsData data, int64_t k,
                          llvm::StringRef mode) const;
};

/// A table for the largest and one for the mean errors; or a line of JSON or
/// CSV for each row. Errors that are infinite are null in JSON.
void printNumerics(const NumericsReport &report, ReportFormat format,
                   llvm::raw_ostream &os);

/// Draws the largest errors over K as SVG, both logarithmic, with a panel for
/// each kind of data. Errors of 0 and infinite ones are left out.
void drawNumerics(const NumericsReport &report, llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSREPORT_H
