//===- ContractionProblems.cpp - The problem of a contraction -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contraction is raised as MLIR, so that its problem is that of the kernel
// which the compiler makes: that of an equal matrix product.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Tuner/ModuleProblems.h"

namespace tcgemm {

llvm::Expected<ModuleProblems>
extractContraction(const Contraction &contraction, const KernelSpec &kernel) {
  // Its reason is that of the indices alone.
  if (llvm::Error error = foldTransposed(contraction).takeError())
    return std::move(error);
  GenerateOptions options;
  static_cast<MatmulKind &>(options.problem) = kernel;
  options.isStatic = true; // The extents become the sizes of the problem.
  options.contraction = contraction;
  ModuleProblemOptions module;
  module.isStatic = kernel.isStatic;
  module.isApproximate = kernel.isApproximate;
  module.transposes = true;
  llvm::Expected<ModuleProblems> result =
      extractProblems(generateMLIR(options), contraction.str(), module);
  if (!result)
    return result.takeError();
  for (TuningProblem &problem : result->problems)
    problem.tag = contraction.str();
  return result;
}

} // namespace tcgemm
