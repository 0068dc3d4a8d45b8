//===- WrittenParts.cpp - What a launch writes of its outputs -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenParts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tcgemm;

/// The numbers of rows in the image of a launch's operand.
static std::vector<int64_t> readCounts(const Problem &problem,
                                       const BufferPart &part, int64_t rows) {
  const ProblemBuffer &buffer = problem.buffers[part.buffer];
  const uint8_t *data = buffer.image.data() + part.getStart(buffer);
  std::vector<int64_t> counts;
  for (int64_t i = 0; i != part.shape.getNumElements(); ++i)
    counts.push_back(std::clamp<int64_t>(
        static_cast<int64_t>(
            loadElement(buffer.type, data, i * part.shape.getRowStride())),
        0, rows));
  return counts;
}

/// Restricts a part to `size` elements along one of its dimensions, from
/// `start` on.
static void restrict(BufferPart &part, size_t dim, int64_t start,
                     int64_t size) {
  part.offset += start * part.shape.strides[dim];
  part.shape.sizes[dim] = size;
}

std::vector<BufferPart> tcgemm::listWrittenParts(const Problem &problem,
                                                 const ProblemLaunch &launch,
                                                 size_t operand) {
  const BufferPart &whole = launch.operands[operand];
  const OperandInfo *counts = launch.kernel->findGroupSizes();
  if (!counts || counts->role != OperandUse::Counts)
    return {whole};
  llvm::ArrayRef<Dim> dims = launch.kernel->operands[operand].dims;
  size_t batch = llvm::find(dims, Dim::Batch) - dims.begin();
  size_t row = llvm::find(dims, Dim::M) - dims.begin();
  size_t number = counts - launch.kernel->operands.data();
  std::vector<BufferPart> parts;
  for (auto [group, count] : llvm::enumerate(readCounts(
           problem, launch.operands[number], whole.shape.sizes[row]))) {
    BufferPart part = whole;
    restrict(part, batch, static_cast<int64_t>(group), 1);
    restrict(part, row, 0, count);
    if (count)
      parts.push_back(std::move(part));
  }
  return parts;
}
