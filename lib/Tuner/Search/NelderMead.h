//===- NelderMead.h - Minimization without derivatives ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_NELDERMEAD_H
#define TCGEMM_LIB_TUNER_SEARCH_NELDERMEAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tcgemm {

struct NelderMeadOptions {
  double step = 0.3;           ///< Edge of the first simplex.
  unsigned evaluations = 4000; ///< Maximum evaluations of the function.
  double tolerance =
      1e-7; ///< Ends when the difference of values is below this.
};

/// The downhill simplex of Nelder and Mead (1965) with the dimension-dependent
/// coefficients of Gao and Han (2012). Deterministic. Returns the best
/// position.
std::vector<double>
minimize(llvm::ArrayRef<double> start, const NelderMeadOptions &options,
         llvm::function_ref<double(llvm::ArrayRef<double>)> function);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_NELDERMEAD_H
