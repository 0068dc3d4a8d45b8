//===- CheckedElements.cpp - Which elements are checked -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckedElements.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// `count` different indices below `size`: the first and last ones, where tiles
/// may be partial, and random ones.
static std::vector<int64_t> sample(int64_t size, int64_t count, uint64_t seed) {
  std::vector<int64_t> picked;
  for (int64_t i : {int64_t(0), size - 1, int64_t(127), int64_t(128)})
    if (i >= 0 && i < size)
      picked.push_back(i);
  for (uint64_t i = 0; static_cast<int64_t>(picked.size()) < count; ++i)
    picked.push_back(
        static_cast<int64_t>(mixSeed(seed, i) % static_cast<uint64_t>(size)));
  llvm::sort(picked);
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

static std::vector<int64_t> all(int64_t size) {
  std::vector<int64_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<CheckedRegion> tcgemm::getWholeRegions(const DimSizes &sizes) {
  int64_t batch = countProducts(sizes);
  std::vector<CheckedRegion> regions;
  for (int64_t b = 0; b != batch; ++b)
    regions.push_back(
        {b, all(sizes[unsigned(Dim::M)]), all(sizes[unsigned(Dim::N)])});
  return regions;
}

/// The work is divided between rows and columns; only some batches are checked.
std::vector<CheckedRegion> tcgemm::sampleRegions(const DimSizes &sizes,
                                                 double work, uint64_t seed) {
  int64_t m = sizes[unsigned(Dim::M)], n = sizes[unsigned(Dim::N)];
  int64_t depth = std::max<int64_t>(sizes[unsigned(Dim::K)], 1);
  int64_t batch = countProducts(sizes);
  int64_t batches = std::min<int64_t>(batch, 4);
  double share = work / batches / 2;
  // As many as there are multiplications for, but at least 4.
  auto pick = [&](int64_t size, int64_t other, uint64_t pickSeed) {
    auto count = static_cast<int64_t>(share / other / depth);
    return sample(size, std::min(size, std::max<int64_t>(count, 4)), pickSeed);
  };
  std::vector<CheckedRegion> regions;
  for (int64_t b : sample(batch, batches, seed)) {
    std::vector<int64_t> rows = pick(m, n, seed + 1);
    regions.push_back({b, rows, all(n)});
    regions.push_back({b, all(m), pick(n, m, seed + 2), std::move(rows)});
  }
  return regions;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t tcgemm::getOffset(const OperandView &view, int64_t b, int64_t m,
                          int64_t n) {
  return view.getBatchOffset(b) + m * view.getStride(Dim::M) +
         n * view.getStride(Dim::N);
}

std::vector<int64_t> VerifyProblem::readGroupSizes() const {
  const OperandView &view =
      operands[kernel->findGroupSizes() - kernel->operands.data()];
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i != view.shape.getNumElements(); ++i)
    sizes.push_back(
        static_cast<int64_t>(loadAt(view, i * view.shape.getRowStride())));
  return sizes;
}

double tcgemm::loadAt(const OperandView &view, int64_t offset) {
  return loadElement(view.info->type, view.data, offset);
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

bool tcgemm::isPoison(const OperandView &view, int64_t offset) {
  unsigned bytes = getByteSize(view.info->type);
  llvm::ArrayRef<uint8_t> element(view.data + offset * bytes, bytes);
  return llvm::all_of(element, [](uint8_t byte) { return byte == 0xff; });
}

void tcgemm::scanOutputs(llvm::ArrayRef<const OperandView *> outputs,
                         VerifyReport &total) {
  std::mutex mutex;
  for (const OperandView *view : outputs) {
    if (!isFloatType(view->info->type))
      continue;
    std::vector<int64_t> rows;
    view->shape.forEachRow([&](int64_t offset) { rows.push_back(offset); });
    int64_t count = view->shape.getRowSize();
    constexpr int64_t kChunk = 16;
    int64_t numRows = rows.size();
    parallelFor((numRows + kChunk - 1) / kChunk, [&](int64_t chunk) {
      VerifyReport report;
      std::vector<double> line(count);
      for (int64_t r = chunk * kChunk;
           r < std::min(numRows, (chunk + 1) * kChunk); ++r) {
        decodeRun(view->info->type, view->data, rows[r],
                  view->shape.getRowStride(), count, line.data());
        for (int64_t i = 0; i != count; ++i) {
          if (!std::isnan(line[i]))
            continue;
          ++report.numNaN;
          report.numUnwritten +=
              isPoison(*view, rows[r] + i * view->shape.getRowStride());
        }
      }
      std::lock_guard<std::mutex> lock(mutex);
      total.add(report);
    });
  }
}
