//===- OutputSummary.cpp - What identifies an output ----------------------===//
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

OutputSummary tcgemm::summarizeOutput(const ProblemBuffer &buffer) {
  constexpr int64_t kSamples = 16;
  OutputSummary summary;
  summary.name = buffer.operandName;
  summary.type = buffer.type;
  int64_t bytes = getByteSize(buffer.type);
  int64_t count = buffer.shape.getNumElements();
  int64_t distance = std::max<int64_t>(1, count / kSamples);
  std::vector<uint8_t> elements;
  elements.reserve(count * bytes);
  int64_t index = 0;
  buffer.shape.forEachRow([&](int64_t row) {
    for (int64_t i = 0; i != buffer.shape.getRowSize(); ++i, ++index) {
      const uint8_t *at = buffer.image.data() + buffer.getStart() +
                          (row + i * buffer.shape.getRowStride()) * bytes;
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
