//===- Descriptor.h - A checked description of a product --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
#define TCGEMM_LIB_LIBRARY_DESCRIPTOR_H

#include "Portable/descriptor.h"
#include "tcgemm/Store/Problems.h"

#include <string>

namespace tcgemm::library {

/// A product as its descriptor states it, after all checks.
struct Description {
  TuningProblem problem;
  double alpha = 1, beta = 0;
  /// The arguments of the generated function, in their order. The types of
  /// slots behind the last one are none.
  // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization)
  tcgemmSlots slots{};
  std::string config;
  /// Whether kernels read alpha and beta from device memory.
  bool scalarsInMemory = false;
  /// Whether vectors of the epilogue have the type of D.
  bool vectorsOfOutput = false;

  /// The function to compile, as MLIR.
  std::string getSource() const;
  bool isEmpty() const {
    const MatmulSizes &s = problem.sizes;
    return s.m == 0 || s.n == 0 || s.batch == 0;
  }
};

/// Errors: a field breaks a rule; the text states its value and the rule.
llvm::Expected<Description> readDescriptor(const tcgemmMatmulDesc &desc);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
