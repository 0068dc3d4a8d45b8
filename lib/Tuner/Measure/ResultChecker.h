//===- ResultChecker.h - Many results of one problem ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All candidates of a problem compute the same function up to rounding. The
// first result is checked against the reference in double (Runtime/Reference.h)
// and, if it passes, is kept. Later results are compared with it, element by
// element. The error of both is at most the reference's tolerance, so that they
// differ by at most twice the tolerance. If they differ by more, the reference
// of that element decides, and then the whole result is checked like the first
// one. A wrong first result therefore cannot reject a right one.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_RESULTCHECKER_H
#define TCGEMM_LIB_TUNER_MEASURE_RESULTCHECKER_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

class ResultChecker {
public:
  /// The maximum cost of a check against the reference.
  VerifyOptions options;

  /// Checks output images of `launch`, which replace those in `buffers`.
  /// Returns a description of the defect, or an empty text.
  llvm::Expected<std::string>
  check(const ProblemLaunch &launch, const ProblemSizes &sizes,
        llvm::ArrayRef<ProblemBuffer> buffers,
        llvm::ArrayRef<std::vector<uint8_t>> images);

  /// The maximum difference of right results of the problem.
  struct Scale {
    /// Ratio of an element's error to the norms of its row and column.
    double errorFactor = 0;
    int64_t m = 0, n = 0;
    /// Euclidean norms of A's rows and B's columns, batch by batch.
    llvm::ArrayRef<double> rows, columns;
  };
  /// The scale, after a plain result was found right; else none.
  std::optional<Scale> getScale() const;

  /// Number of comparisons with the reference, and with a kept result.
  unsigned numReference = 0, numCompared = 0;

private:
  llvm::Expected<std::string> checkReference(const VerifyProblem &problem);
  /// An element of batch, row and column.
  struct Place {
    int64_t batch, m, n;
  };
  std::optional<Place> findFar(const VerifyProblem &problem,
                               const OperandView &output,
                               const std::vector<uint8_t> &kept) const;
  std::string checkPlace(const VerifyProblem &problem,
                         const OperandView &output, Place place) const;
  void findNorms(const VerifyProblem &problem);

  /// Images of the outputs of a result that passed, by buffer.
  std::vector<std::vector<uint8_t>> kept;
  std::vector<double> rowNorms, columnNorms;
  double errorFactor = 0;
  ProblemSizes sizes{};
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_RESULTCHECKER_H
