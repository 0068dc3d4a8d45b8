//===- ActionFlags.h - Flags of checks, measurements and reports *- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_ACTIONFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_ACTIONFLAGS_H

#include "../common/Keywords.h"
#include "../common/Numbers.h"
#include "Categories.h"
#include "SessionOptions.h"

namespace tcgemm {

/// Checks, measurements and how results are shown.
struct ActionFlags {
  explicit ActionFlags(Categories &categories) : categories(categories) {}
  /// Errors: a number that is out of its range, a comparison with no known
  /// library, a flag of comparisons without one, or a format that a plan does
  /// not have.
  llvm::Error read(SessionOptions &options) const;

  llvm::Error checkNumbers() const;

  Categories &categories;
  cl::opt<bool> bench{"bench", cl::desc("Measure"),
                      cl::cat(categories.actions)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("Measure another library beside it; "
                                        "-fused: with the epilogue, by a fused "
                                        "bias and an elementwise kernel"),
                               cl::value_desc("cublaslt|cublaslt-fused"),
                               cl::cat(categories.actions)};
  cl::opt<std::string> cublasLt{"cublaslt", cl::desc("Path of libcublasLt.so"),
                                cl::value_desc("path"),
                                cl::cat(categories.actions)};
  cl::opt<bool> cublasLtPrecise{
      "cublaslt-precise",
      cl::desc("FP8: let cuBLASLt add partial sums in f32 registers"),
      cl::cat(categories.actions)};
  NumberOption<unsigned> rounds{
      "rounds", cl::desc("Rounds of a measurement (default: 21)"), cl::init(21),
      cl::cat(categories.actions)};
  NumberOption<double> warmUp{
      "warm-up",
      cl::desc("Milliseconds of launches before a measurement (default: 300)"),
      cl::value_desc("ms"), cl::init(300), cl::cat(categories.actions)};
  cl::opt<bool> noVerify{"no-verify", cl::desc("Do not compare results"),
                         cl::cat(categories.actions)};
  NumberOption<double> verifyWork{
      "verify-work",
      cl::desc("Multiplications up to which a problem is checked whole "
               "(default: 4e10)"),
      cl::init(4e10), cl::cat(categories.actions)};
  NumberOption<double> mathError{
      "math-error",
      cl::desc("Relative error allowed to exp, tanh, ... (default: 2^-20; "
               "raise for .approx)"),
      cl::init(0x1p-20), cl::cat(categories.actions)};
  cl::opt<bool> plan{"plan", cl::desc("Print what would run; needs no device"),
                     cl::cat(categories.actions)};
  NumberOption<int64_t> smCount{
      "plan-sm-count", cl::desc("Processors for --plan (default: 132)"),
      cl::init(132), cl::cat(categories.actions)};
  cl::opt<bool> emitMLIR{"emit-mlir",
                         cl::desc("Print the generated MLIR; needs no device"),
                         cl::cat(categories.actions)};
  NumberOption<double> timeout{
      "timeout", cl::desc("Seconds for one problem (default: 0: no limit)"),
      cl::init(0), cl::cat(categories.actions)};
  cl::opt<ReportFormat, false, KeywordParser<ReportFormat>> format{
      "format", cl::desc("How results are printed (default: table)"),
      cl::values(clEnumValN(ReportFormat::Table, "table", "for people"),
                 clEnumValN(ReportFormat::JSON, "json", "an object a line"),
                 clEnumValN(ReportFormat::CSV, "csv", "a row a contender")),
      cl::init(ReportFormat::Table), cl::cat(categories.actions)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_ACTIONFLAGS_H
