//===- ModuleProblems.h - The problems of an MLIR module --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module is raised as in a compilation, and each kernel becomes a problem.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_MODULEPROBLEMS_H
#define TCGEMM_TUNER_MODULEPROBLEMS_H

#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Store/Problems.h"

namespace tcgemm {

/// The ranges are the sizes of dimensions that the module leaves open; there is
/// a problem for each combination.
struct ModuleProblemOptions : MatmulRanges {
  /// True if the sizes are compiled in.
  bool isStatic = false;
  bool isApproximate = false; ///< See KernelSpec.
  /// The precision of products whose operations name none.
  std::string precision = "ieee";
  /// True if operands are transposed for products that no kernel has otherwise,
  /// as for packs.
  bool transposes = false;
};

struct ModuleProblems {
  /// The problems in the module's order, without duplicates; the tags are the
  /// kernels' names.
  std::vector<TuningProblem> problems;
  /// Properties of kernels that KernelSpec cannot express, with the operation's
  /// location.
  std::vector<std::string> notes;
};

/// The problems of the functions of a module, as MLIR text or bytecode.
/// Errors name the operation: the text is not MLIR, a dynamic size is not
/// given, or no operation becomes a kernel.
llvm::Expected<ModuleProblems>
extractProblems(llvm::StringRef source, llvm::StringRef fileName,
                const ModuleProblemOptions &options);

/// The problem of the kernel that computes a contraction with known extents,
/// whose operands may be transposed before. Its types and its epilogue are
/// those of `kernel`; its layout and sizes follow from the indices, and its tag
/// is the index string. Errors give the reason why no kernel has the indices.
llvm::Expected<ModuleProblems>
extractContraction(const Contraction &contraction, const KernelSpec &kernel);

} // namespace tcgemm

#endif // TCGEMM_TUNER_MODULEPROBLEMS_H
