//===- Descriptor.h - A checked description of a product --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
#define TCGEMM_LIB_LIBRARY_DESCRIPTOR_H

#include "Portable/descriptor.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Store/Problems.h"

#include <optional>
#include <string>
#include <vector>

namespace tcgemm::library {

/// The two sides of a copy between the memory of a caller and the workspace:
/// the same sizes, dense in the workspace.
struct OperandCopy {
  StridedShape memory, workspace;
};

/// An argument of a kernel. If it is copied, its strides are those of the copy.
struct ArgumentLayout {
  StridedShape shape;
  std::optional<OperandCopy> copy;
};

/// A product as its descriptor states it, after all checks.
struct Description {
  TuningProblem problem;
  tcgemmScaling scaling = TCGEMM_UNSCALED;
  double alpha = 1, beta = 0;
  /// The arguments of the generated function, in their order. The types of
  /// slots behind the last one are none.
  // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization)
  tcgemmSlots slots{};
  /// The indices of the operands in the place of the problem's layout and
  /// sizes. Its extents are unknown, so that one kernel serves all.
  std::optional<Contraction> contraction;
  /// With a contraction: the layout of each slot. Otherwise the slots have
  /// their strides.
  std::vector<ArgumentLayout> layouts;
  /// Numbers of several components, which the contraction has indices of. The
  /// problem is the product of real numbers that kernels compute.
  std::optional<GeneratedBilinear> numbers;
  std::string config;
  std::string epilogueBody; ///< MLIR text; empty if there is none.
  /// True if kernels read alpha and beta from device memory.
  bool scalarsInMemory = false;
  /// True if kernels start while the preceding kernel ends, if they can.
  bool dependentLaunch = false;
  bool checksOffsets = false; ///< True if kernels check the sizes of groups.

  /// The function to compile, as MLIR.
  std::string getSource() const;
  bool isEmpty() const {
    const MatmulSizes &s = problem.sizes;
    return s.m == 0 || s.n == 0 || s.batch == 0;
  }
};

/// The fields that all products have, as those of a product of matrices. The
/// sizes are 0.
template <typename Desc> tcgemmMatmulDesc getCommonFields(const Desc &from) {
  tcgemmMatmulDesc desc;
  tcgemmSetDescDefaults(&desc);
  desc.typeA = from.typeA, desc.typeB = from.typeB, desc.typeD = from.typeD;
  desc.scaling = from.scaling;
  desc.alpha = from.alpha, desc.beta = from.beta;
  desc.precision = from.precision;
  desc.epilogue = from.epilogue;
  desc.alignment = from.alignment;
  desc.config = from.config;
  desc.pointerMode = from.pointerMode;
  desc.epilogueBody = from.epilogueBody;
  return desc;
}

/// Errors: a field breaks a rule; the text states its value and the rule.
llvm::Expected<Description> readDescriptor(const tcgemmMatmulDesc &desc);
/// The same for a product of groups of that kind, without their sizes.
llvm::Expected<Description> readBatchOfGroups(const tcgemmMatmulDesc &desc,
                                              GroupKind groups);
llvm::Expected<Description>
readContraction(const tcgemmContractionDesc &descriptor);
llvm::Expected<Description> readGrouped(const tcgemmGroupedDesc &descriptor);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
