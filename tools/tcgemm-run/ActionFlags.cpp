//===- ActionFlags.cpp - Flags of checks, measurements and reports --------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ActionFlags.h"

#include "../common/FlagRange.h"
#include "tcgemm/Target/LaunchLimits.h"

using namespace tcgemm;
using llvm::Error;

Error ActionFlags::checkNumbers() const {
  if (Error error = checkFlagRange(timeout, 0, kMostSeconds, " s"))
    return error;
  if (Error error = checkFlagRange(verifyWork, 0, 1e18))
    return error;
  if (Error error = checkFlagRange(mathError, 0, 1))
    return error;
  if (Error error = checkFlagRange(rounds, 1, 1000000))
    return error;
  if (Error error = checkFlagRange(warmUp, 0, kMostSeconds * 1000, " ms"))
    return error;
  return checkFlagRange(smCount, 1, kMostProcessors);
}

Error ActionFlags::read(SessionOptions &options) const {
  if (Error error = checkNumbers())
    return error;
  bool isFused = compare == "cublaslt-fused";
  if (!compare.empty() && compare != "cublaslt" && !isFused)
    return llvm::createStringError("--compare: '" + compare +
                                   "' is neither cublaslt nor cublaslt-fused");
  const cl::Option *ofComparisons[] = {&cublasLt, &cublasLtPrecise};
  std::string given = findGivenFlag(ofComparisons);
  if (compare.empty() && !given.empty())
    return llvm::createStringError(given + " needs --compare");
  options.verify = !noVerify;
  options.verification.maxWork = verifyWork;
  options.verification.mathError = mathError;
  if (options.compile.approximateMath && mathError.getNumOccurrences() == 0)
    options.verification.mathError = kApproximateMathError;
  options.verification.seed = options.problem.seed;
  options.benchmark = bench || !compare.empty();
  const cl::Option *ofMeasurements[] = {&rounds, &warmUp};
  if (std::string measured = findGivenFlag(ofMeasurements);
      !options.benchmark && !measured.empty())
    return llvm::createStringError(measured + " needs --bench");
  options.benchmarkOptions.compareCublasLt = !compare.empty();
  options.benchmarkOptions.fuseCublasLt = isFused;
  options.benchmarkOptions.cublasLtPath = cublasLt;
  options.benchmarkOptions.fastAccumulation = !cublasLtPrecise;
  options.benchmarkOptions.rounds = rounds;
  options.benchmarkOptions.warmUpMilliseconds = warmUp;
  options.benchmarkOptions.seed = options.problem.seed;
  options.timeout = timeout;
  if (plan && format != ReportFormat::Table)
    return llvm::createStringError("--plan: a plan is a table; --save-pack "
                                   "writes a manifest for programs");
  options.planSMCount = smCount;
  options.format = format;
  return Error::success();
}
