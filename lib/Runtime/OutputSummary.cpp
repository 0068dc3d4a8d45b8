//===- OutputSummary.cpp - Summaries of outputs ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Problem.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace tcgemm;

OutputSummary tcgemm::summarizeOutput(const ProblemBuffer &buffer,
                                      const BufferPart &part) {
  constexpr int64_t kSamples = 16;
  OutputSummary summary;
  summary.name = buffer.operandName;
  summary.type = buffer.type;
  int64_t bytes = getByteSize(buffer.type);
  int64_t count = part.shape.getNumElements();
  int64_t distance = std::max<int64_t>(1, count / kSamples);
  std::vector<uint8_t> elements;
  elements.reserve(count * bytes);
  int64_t index = 0;
  const uint8_t *start = buffer.image.data() + part.getStart(buffer);
  part.shape.forEachRun([&](int64_t offset, int64_t size) {
    for (int64_t i = 0; i != size; ++i, ++index) {
      const uint8_t *at = start + (offset + i) * bytes;
      elements.insert(elements.end(), at, at + bytes);
      double value = loadElement(buffer.type, at);
      if (std::isfinite(value))
        summary.largest = std::max(summary.largest, std::abs(value));
      if (index % distance == 0)
        summary.sample.push_back(value);
    }
  });
  summary.hash = llvm::xxh3_64bits(elements);
  return summary;
}
