//===- GenerateMatmul.h - MLIR for a described product ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the function that a user would have written for a matrix product with
// an elementwise epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_GENERATEMATMUL_H
#define TCGEMM_PIPELINES_GENERATEMATMUL_H

#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Problem/MatmulProblem.h"
#include "tcgemm/Problem/NamedBilinear.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

/// How the images, the filter and the result of a convolution lie in memory.
enum class ConvolutionLayoutKind { NhwcFhwc, NhwcHwcf, NchwFchw };
/// The name of a layout, as in linalg, and the letters of each tensor.
struct ConvolutionLayout {
  llvm::StringLiteral name, images, filter, result;
};
ConvolutionLayout getConvolutionLayout(ConvolutionLayoutKind kind);

/// A convolution of a known number of images.
struct GeneratedConvolution {
  Convolution convolution;
  int64_t images = 1, filters = 1;
  ConvolutionLayoutKind layout = ConvolutionLayoutKind::NhwcFhwc;

  /// The sizes of the images (0), the filter (1) or the result (2).
  std::vector<int64_t> getShape(unsigned operand) const;
};

/// Numbers of several components.
struct GeneratedBilinear {
  BilinearAlgebra algebra;
  /// The indices of the components in the contraction.
  ComponentLetters letters{};

  /// Returns whether the index is one of components.
  bool has(char letter) const { return llvm::is_contained(letters, letter); }
};

struct GenerateOptions {
  MatmulProblem problem;
  bool isBatched = false;
  bool isStatic = false; ///< True if the sizes are compiled in.
  /// True if the kernel checks the sizes of groups. Only grouped products have
  /// such a check.
  bool checksOffsets = false;
  /// True if alpha and beta are tensors without dimensions instead of scalars.
  /// C is then read for all values of beta, and not used where beta is 0.
  bool scalarsInMemory = false;
  /// The function of C's elements that beta multiplies, in the type of the
  /// epilogue: that of float sums, or f32. Without beta it must be the
  /// identity.
  ElementTransform transformC{};
  /// Operations in the place of those of the epilogue's parts, which then only
  /// name the operands. They compute `%result` of `%sum`, the value behind
  /// alpha and beta, and of the operands' elements, such as `%bias`. All have
  /// the type of the sums, or f32 for sums of integers.
  std::string epilogueBody{};
  /// The indices of the operands, in the place of the problem's layout and
  /// sizes. Extents of -1 are known at run time only.
  std::optional<Contraction> contraction{};
  /// Numbers whose components are indices of the contraction.
  std::optional<GeneratedBilinear> bilinear{};
  /// A convolution in the place of the product. The epilogue has no vectors
  /// along m and no numbers.
  std::optional<GeneratedConvolution> convolution{};
};

/// The product of the options with the indices b, m, n and k.
Contraction describeProduct(const GenerateOptions &options);

std::string generateMLIR(const GenerateOptions &options);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_GENERATEMATMUL_H
