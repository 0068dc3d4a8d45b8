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

/// Reads the sizes of groups from the image of a launch's operand: ends, or
/// numbers of rows, each taken as at least 0 and at most `rows`.
static std::vector<int64_t> readSizes(const Problem &problem,
                                      const BufferPart &part, int64_t rows) {
  const ProblemBuffer &buffer = problem.buffers[part.buffer];
  const uint8_t *data = buffer.image.data() + part.getStart(buffer);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i != part.shape.getNumElements(); ++i)
    sizes.push_back(std::clamp<int64_t>(
        static_cast<int64_t>(
            loadElement(buffer.type, data, i * part.shape.getRowStride())),
        0, rows));
  return sizes;
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
  std::optional<GroupKind> kind = launch.kernel->findGroupKind();
  if (!kind || !getGroupKindInfo(*kind).hasRows())
    return {whole};
  llvm::ArrayRef<Dim> dims = launch.kernel->operands[operand].dims;
  size_t batch = llvm::find(dims, Dim::Batch) - dims.begin();
  size_t row = llvm::find(dims, Dim::M) - dims.begin();
  size_t number =
      launch.kernel->findGroupSizes() - launch.kernel->operands.data();
  std::vector<int64_t> numRows =
      readSizes(problem, launch.operands[number], whole.shape.sizes[row]);
  // No end is taken as before an earlier one, so that the largest is the last.
  if (!getGroupKindInfo(*kind).hasCounts)
    numRows.assign(1, numRows.empty() ? 0 : *llvm::max_element(numRows));
  std::vector<BufferPart> parts;
  for (auto [group, count] : llvm::enumerate(numRows)) {
    BufferPart part = whole;
    if (batch != dims.size())
      restrict(part, batch, static_cast<int64_t>(group), 1);
    restrict(part, row, 0, count);
    if (count)
      parts.push_back(std::move(part));
  }
  return parts;
}
