//===- InferSizes.cpp - The sizes of a product from its operands ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Executor.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tcgemm;
using llvm::Expected;
using llvm::Twine;

/// Returns why the images of a convolution do not have the sizes that the other
/// operands have; nothing if they do.
static std::optional<std::string>
findImageViolation(const KernelInfo &kernel,
                   llvm::ArrayRef<BoundOperand> operands,
                   const ProblemSizes &sizes) {
  const Convolution *convolution = kernel.findConvolution();
  if (!convolution)
    return std::nullopt;
  int64_t m = sizes[unsigned(Dim::M)];
  // The rules of convolutions leave no output without pixels.
  int64_t pixels = std::max<int64_t>(convolution->getOutputPixels(), 1);
  if (m % pixels != 0)
    return ("M = " + Twine(m) +
            " is not a multiple of the pixels of an output, " + Twine(pixels))
        .str();
  for (auto [info, operand] : llvm::zip(kernel.operands, operands))
    for (unsigned i = 0; info.convolution && i != info.dims.size(); ++i)
      if (int64_t extent =
              info.getExtent(info.dims[i], sizes[unsigned(info.dims[i])]);
          operand.shape.sizes[i] != extent)
        return ("operand '" + info.name + "' has " +
                Twine(operand.shape.sizes[i]) +
                (info.dims[i] == Dim::M ? " pixels" : " channels") +
                ", but the convolution has " + Twine(extent))
            .str();
  return std::nullopt;
}

/// Returns why the numbers that B's memory has are not those of N and K;
/// nothing if they are.
static std::optional<std::string>
findNumberViolation(const KernelInfo &kernel,
                    llvm::ArrayRef<BoundOperand> operands,
                    const ProblemSizes &sizes) {
  for (auto [info, operand] : llvm::zip(kernel.operands, operands)) {
    if (!info.representation)
      continue;
    int64_t count = info.representation->getComponents();
    for (auto [i, dim] : llvm::enumerate(info.dims)) {
      int64_t size = sizes[unsigned(dim)];
      bool isBlocked = i + 2 >= info.dims.size();
      if (isBlocked && size % count != 0)
        return (getSizeName(dim) + " = " + Twine(size) +
                " is not a multiple of the " + Twine(count) +
                " components of the numbers")
            .str();
      if (int64_t extent = info.getExtent(dim, size);
          operand.shape.sizes[i] != extent)
        return ("operand '" + info.name + "' has " +
                Twine(operand.shape.sizes[i]) + " along " + getSizeName(dim) +
                ", but its numbers make " + Twine(extent))
            .str();
    }
  }
  return std::nullopt;
}

Expected<ProblemSizes>
tcgemm::inferSizes(const KernelInfo &kernel,
                   llvm::ArrayRef<BoundOperand> operands) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError("kernel '" + kernel.name + "': " + what);
  };
  if (operands.size() != kernel.operands.size())
    return fail("has " + Twine(kernel.operands.size()) + " operands, " +
                Twine(operands.size()) + " given");
  ProblemSizes sizes;
  sizes.fill(-1);
  std::array<std::string, kNumDims> origin;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (kernel.sizes[d]) {
      sizes[d] = *kernel.sizes[d];
      origin[d] = "the kernel is compiled for";
    }
  for (auto [info, operand] : llvm::zip(kernel.operands, operands)) {
    if (info.role == OperandUse::Scalar)
      continue;
    if (operand.shape.getRank() != info.dims.size())
      return fail("operand '" + info.name + "' has " + Twine(info.dims.size()) +
                  " dimensions, " + Twine(operand.shape.getRank()) + " given");
    for (auto [i, dim] : llvm::enumerate(info.dims)) {
      int64_t size = operand.shape.sizes[i];
      auto d = static_cast<unsigned>(dim);
      if (size < 0)
        return fail("operand '" + info.name + "' has a negative size");
      if (info.convolution || info.representation) // From the others.
        continue;
      if (info.getScales()) {
        // The manifest has A and B, and thereby the sizes, before them.
        if (int64_t blocks = info.getExtent(dim, sizes[d]); size != blocks)
          return fail("operand '" + info.name + "' has " + Twine(size) +
                      " blocks of " + getSizeName(dim) + ", but " + origin[d] +
                      " " + getSizeName(dim) + " = " + Twine(sizes[d]) +
                      ", which has " + Twine(blocks));
        continue;
      }
      if (sizes[d] == -1) {
        sizes[d] = size;
        origin[d] = "operand '" + info.name + "' has";
      } else if (sizes[d] != size) {
        return fail("operand '" + info.name + "' has " + getSizeName(dim) +
                    " = " + Twine(size) + ", but " + origin[d] + " " +
                    getSizeName(dim) + " = " + Twine(sizes[d]));
      }
    }
  }
  for (unsigned d = 0; d != kNumDims; ++d)
    if (isOuter(Dim(d)) && sizes[d] == -1)
      sizes[d] = 1;
  for (auto *find : {findImageViolation, findNumberViolation})
    if (std::optional<std::string> found = find(kernel, operands, sizes))
      return fail(*found);
  return sizes;
}
