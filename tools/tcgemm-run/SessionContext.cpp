//===- SessionContext.cpp - The shared parts of a session -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionContext.h"

#include "ExitCodes.h"

using namespace tcgemm;
using llvm::Error;

int SessionContext::fail(Error error, int code) const {
  // The text of a failed device says more than where the tool was.
  if (error.isA<DeviceError>())
    code = kExitDeviceError;
  err << "tcgemm-run: error: " << llvm::toString(std::move(error)) << '\n';
  return code;
}

ProblemOptions SessionOptions::getFurther(ProblemOptions named) const {
  if (!isList)
    named.sizes = {};
  if (generate.contraction || generate.convolution)
    named.shapes.clear();
  return named;
}

ProblemOptions SessionOptions::getOptions(const NamedProblem &named) const {
  ProblemOptions result = problem;
  // Indices give the shapes of the arguments; the sizes choose a configuration.
  if (generate.contraction)
    return result;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (named.sizes[d])
      result.sizes[d] = named.sizes[d];
  return result;
}
