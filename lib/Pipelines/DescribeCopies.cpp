//===- DescribeCopies.cpp - Launches that copy ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeViews.h"
#include "tcgemm/Target/CopyKernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tcgemm {

std::optional<unsigned> getCopiedBytes(Type type) {
  std::optional<ScalarType> element = getScalarType(getElementTypeOrSelf(type));
  if (!element || getPackedElements(*element) > 1)
    return std::nullopt;
  auto bytes = static_cast<unsigned>(getByteSize(*element));
  return llvm::is_contained(kCopiedBytes, bytes) ? std::optional(bytes)
                                                 : std::nullopt;
}

static std::optional<size_t> findUnit(ArrayRef<CopiedDim> dims,
                                      Expr CopiedDim::*stride) {
  for (size_t i = dims.size(); i-- > 0;)
    if ((dims[i].*stride).isConstant(1))
      return i;
  return std::nullopt;
}

std::optional<Step> describeCopy(const BufferView &from, const BufferView &to,
                                 unsigned bytes) {
  SmallVector<CopiedDim> all;
  for (auto [size, source, target] :
       llvm::zip_equal(to.sizes, from.strides, to.strides))
    all.push_back({size, source, target});
  SmallVector<CopiedDim> dims = joinDims(all);
  std::optional<size_t> read = findUnit(dims, &CopiedDim::from),
                        write = findUnit(dims, &CopiedDim::to);
  if (dims.size() > kMaxCopiedDims || (!dims.empty() && (!read || !write)))
    return std::nullopt;
  std::optional<CopyLaunch> launch;
  if (read && write)
    launch = planPairsLaunch(dims, *read, *write, bytes);
  Step step;
  step.module = kCopyModuleName.str();
  step.symbol = launch ? getPairsKernelName(bytes) : getCopyKernelName(bytes);
  if (!launch)
    launch = planCopyLaunch(dims, read, write, bytes);
  step.grid[0] = launch->grid;
  step.block[0] = kCopyThreads;
  step.arguments = std::move(launch->arguments);
  return step;
}

} // namespace tcgemm
