//===- MultistageFactors.h - Fragments as they are multiplied ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGEFACTORS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGEFACTORS_H

#include "Common/MultistageCopies.h"

namespace tcgemm {

/// Applies the functions of the operands' elements to fragments, and replaces
/// elements beyond K where zeros would change the result.
class MultistageFactors {
public:
  MultistageFactors(ProgramBuilder &p, const KernelConfig &config,
                    MultistageWorker &worker, MultistageCopies &copies)
      : p(p), c(config), worker(worker), copies(copies) {}

  /// The operand's factor of k-step `step` of k-tile `tile`, whose `fragment`
  /// was loaded. The k-tile may end beyond K only if `mayHaveResidue`.
  mlir::Value get(unsigned operand, mlir::Value fragment, mlir::Value tile,
                  int64_t step, bool mayHaveResidue);
  /// Returns whether factors have other values beyond K than stages have.
  bool replacesResidue() const;

private:
  mlir::Value transform(unsigned operand, mlir::Value fragment,
                        mlir::Value tile, int64_t step, bool mayHaveResidue);
  bool needsPadding(unsigned operand) const;
  mlir::Value getValid(mlir::Value fragment, mlir::Value tile, int64_t step);

  ProgramBuilder &p;
  const KernelConfig &c;
  MultistageWorker &worker;
  MultistageCopies &copies;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGEFACTORS_H
