//===- ResultChecker.h - Many results of one problem ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates of a problem all compute the same up to rounding. The first result
// is checked against the reference in double (Runtime/Reference.h), and if it
// passes it is kept; later ones are compared with it, element by element. Both
// may be off by the reference's tolerance, and so from each other by twice
// that. Where they are farther apart, that element's own reference decides, and
// then the whole result is checked as the first was: a wrong first one cannot
// condemn a right one.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_RESULTCHECKER_H
#define TCGEMM_LIB_TUNER_MEASURE_RESULTCHECKER_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

class ResultChecker {
public:
  /// How much a check against the reference may cost.
  VerifyOptions options;

  /// Checks output images of `launch`, which are in place of those in
  /// `buffers`. Empty, or what is wrong.
  llvm::Expected<std::string>
  check(const ProblemLaunch &launch, const ProblemSizes &sizes,
        llvm::ArrayRef<ProblemBuffer> buffers,
        llvm::ArrayRef<std::vector<uint8_t>> images);

  /// By what right results of the problem may differ.
  struct Scale {
    /// Of an element's error over the norms of its row and column.
    double errorFactor = 0;
    int64_t m = 0, n = 0;
    /// Euclidean norms of A's rows and B's columns, batch by batch.
    llvm::ArrayRef<double> rows, columns;
  };
  /// After a plain result was found right; else none.
  std::optional<Scale> getScale() const;

  /// How often a result was compared with the reference, and with a result.
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
