//===- ProblemFlags.cpp - Flags that say what to tune ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemFlags.h"

#include "tcgemm/Target/Precision.h"

using namespace tcgemm;
using llvm::Expected;

Expected<KernelSpec> ProblemFlags::readKernel() const {
  KernelSpec kernel;
  // An epilogue may need groups. The rest of the product is checked at the end.
  kernel.isGrouped = grouped || groups.getNumOccurrences();
  Expected<GroupKind> kind = parseGroupKind(groups);
  if (!kind)
    return kind.takeError();
  kernel.groupKind = kernel.isGrouped ? *kind : kernel.groupKind;
  if (llvm::Error error = kernel.read(type, layout, outType, epilogue))
    return std::move(error);
  if (llvm::Error error = kernel.setBlockScales(blockScales))
    return std::move(error);
  if (llvm::Error error = kernel.setGroupScales(groupScales))
    return std::move(error);
  if (llvm::Error error = kernel.setPrecision(precision))
    return std::move(error);
  if (llvm::Error error = kernel.setTransforms(transformA, transformB))
    return std::move(error);
  if (llvm::Error error = kernel.setAlgebra(algebra))
    return std::move(error);
  if (llvm::Error error = kernel.setDual(
          dual.empty() ? llvm::StringRef(getDualInfos().front().name)
                       : llvm::StringRef(dual.getValue())))
    return std::move(error);
  if (llvm::Error error = kernel.setBands(bandA, bandB))
    return std::move(error);
  if (llvm::Error error = kernel.setReductions(reduce))
    return std::move(error);
  if (symmetric)
    if (llvm::Error error = kernel.setSymmetric())
      return std::move(error);
  if (kernel.isGrouped)
    if (llvm::Error error = kernel.setGrouped(kernel.groupKind))
      return std::move(error);
  kernel.isStatic = isStatic;
  kernel.isApproximate = isApproximate;
  return kernel;
}

Expected<std::optional<Contraction>> ProblemFlags::readContraction() const {
  if (!einsum.getNumOccurrences()) {
    if (extents.getNumOccurrences())
      return llvm::createStringError("--sizes needs --einsum");
    return std::nullopt;
  }
  const cl::Option *others[] = {
      &m,           &n,    &k,     &batch, &problemFile, &layout,  &blockScales,
      &groupScales, &dual, &bandA, &bandB, &symmetric,   &grouped, &reduce};
  for (const cl::Option *other : others)
    if (other->getNumOccurrences())
      return llvm::createStringError("--einsum does not go with --" +
                                     other->ArgStr);
  return Contraction::parse(einsum, extents);
}

Expected<ModuleProblemOptions> ProblemFlags::readRanges() const {
  Expected<MatmulRanges> ranges = MatmulRanges::parse(m, n, k, batch);
  if (!ranges)
    return ranges.takeError();
  if (llvm::Error error = parsePrecision(precision).takeError())
    return std::move(error);
  return ModuleProblemOptions{std::move(*ranges), isStatic, isApproximate,
                              precision};
}
