//===- ReferenceFixture.h - A product that is verified ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_RUNTIME_REFERENCEFIXTURE_H
#define TCGEMM_UNITTESTS_RUNTIME_REFERENCEFIXTURE_H

#include "TestKernels.h"

#include "tcgemm/Runtime/Reference.h"

#include "gtest/gtest.h"

namespace tcgemm {

/// The operands A, B and D of a kernel, and their verification. Derived tests
/// fill them.
class ReferenceFixture : public testing::Test {
protected:
  VerifyReport verify() {
    problem.operands.clear();
    const HostTensor *tensors[] = {&a, &b, &d};
    for (unsigned i = 0; i != 3; ++i) {
      problem.operands.push_back(
          {&kernel.operands[i], tensors[i]->bytes.data(), tensors[i]->shape});
      problem.operands.back().sizes = problem.sizes;
    }
    llvm::Expected<VerifyReport> report = verifyResults(problem, options);
    EXPECT_TRUE(bool(report));
    return std::move(*report);
  }

  KernelInfo kernel;
  HostTensor a, b, d;
  VerifyProblem problem;
  VerifyOptions options;
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_RUNTIME_REFERENCEFIXTURE_H
