//===- Solver.h - The best tiling, with a proof -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Z3 chooses the tiling. It gets the variables, the rules of legal
// configurations and the recurrences of tcgemm/Model/Ring.h as constraints, and
// is asked for a better tiling until there is none.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_SOLVER_H
#define TCGEMM_MODEL_SOLVER_H

#include "tcgemm/Model/Tiling.h"

#include <chrono>

namespace tcgemm {

struct SolverOptions {
  std::chrono::milliseconds timeLimit = std::chrono::seconds(60);
  /// The library to load; the installed one if empty.
  std::string library;
};

/// Fails if Z3 cannot be loaded.
llvm::Error checkSolverLibrary(llvm::StringRef library);

/// Solves the problem. Errors: those of checkTilingProblem; no Z3; no tiling is
/// legal; the time was up before the first one was found.
llvm::Expected<TilingSolution> solveTiling(const TilingProblem &problem,
                                           const SolverOptions &options);

} // namespace tcgemm

#endif // TCGEMM_MODEL_SOLVER_H
