//===- ModuleProblems.h - The problems of an MLIR module --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler would make kernels of is what there is to tune: the module
// is raised as it would be for compiling, and each kernel becomes a problem.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_MODULEPROBLEMS_H
#define TCGEMM_TUNER_MODULEPROBLEMS_H

#include "tcgemm/Store/Problems.h"

namespace tcgemm {

struct ModuleProblemOptions {
  /// Sizes of dimensions that the module leaves open; a problem for each
  /// combination.
  std::vector<int64_t> m, n, k, batch;
  /// Whether the sizes are compiled in.
  bool isStatic = false;
  bool isApproximate = false; ///< As of KernelSpec.
};

struct ModuleProblems {
  /// In the module's order, their tags the kernels' names, duplicates merged.
  std::vector<TuningProblem> problems;
  /// What a KernelSpec cannot say of a kernel, by its operation's place.
  std::vector<std::string> notes;
};

/// The problems of the functions of a module, as MLIR text or bytecode.
/// Errors name the operation: the text is no MLIR, a size is open and not
/// given, or nothing becomes a kernel.
llvm::Expected<ModuleProblems>
extractProblems(llvm::StringRef source, llvm::StringRef fileName,
                const ModuleProblemOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TUNER_MODULEPROBLEMS_H
