//===- MatmulSizes.cpp - The sizes of a matrix product --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/MatmulSizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

static constexpr size_t kMaxRange = 100000;

template <typename... Ts>
static Error fail(const char *format, Ts &&...values) {
  return createStringError(formatv(format, std::forward<Ts>(values)...).str());
}

bool parseSize(StringRef text, int64_t &size, int64_t most) {
  return !text.trim().getAsInteger(10, size) && size >= 1 && size <= most;
}

std::string MatmulSizes::str() const {
  std::string text = formatv("{0}x{1}x{2}", m, n, k);
  return batch == 1 ? text : std::to_string(batch) + "x" + text;
}

Expected<MatmulSizes> MatmulSizes::parse(StringRef text, int64_t most) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  SmallVector<int64_t> sizes(parts.size());
  bool valid = parts.size() == 3 || parts.size() == 4;
  for (auto [part, size] : zip_equal(parts, sizes))
    valid &= parseSize(part, size, most);
  if (!valid)
    return fail("shape '{0}': expected MxNxK or BxMxNxK with sizes from 1 to "
                "{1}",
                text, most);
  MatmulSizes result;
  if (sizes.size() == 4) {
    result.batch = sizes.front();
    sizes.erase(sizes.begin());
  }
  result.m = sizes[0];
  result.n = sizes[1];
  result.k = sizes[2];
  return result;
}

void MatmulSizes::writeAttributes(json::OStream &json) const {
  json.attribute("m", m);
  json.attribute("n", n);
  json.attribute("k", k);
  json.attribute("batch", batch);
}

double MatmulSizes::getFlops() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k) * static_cast<double>(batch);
}

Expected<std::vector<int64_t>> parseSizeRange(StringRef text) {
  std::vector<int64_t> sizes;
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    SmallVector<StringRef, 3> parts;
    item.split(parts, ':');
    int64_t low = 0, high = 0, step = 1;
    bool valid = parts.size() <= 3 && parseSize(parts[0], low);
    high = low;
    if (parts.size() > 1)
      valid &= parseSize(parts[1], high) && high >= low;
    if (parts.size() > 2)
      valid &= parseSize(parts[2], step);
    if (!valid)
      return fail("sizes '{0}': expected sizes from 1 to {1}, or low:high:step "
                  "with low at most high, separated by commas",
                  text, kMaxProblemSize);
    for (int64_t size = low; size <= high; size += step) {
      if (sizes.size() == kMaxRange)
        return fail("sizes '{0}' are more than {1}", text, kMaxRange);
      sizes.push_back(size);
    }
  }
  return sizes;
}

Expected<MatmulRanges> MatmulRanges::parse(StringRef m, StringRef n,
                                           StringRef k, StringRef batch) {
  MatmulRanges ranges;
  for (auto [text, target] :
       {std::pair(m, &ranges.m), std::pair(n, &ranges.n),
        std::pair(k, &ranges.k), std::pair(batch, &ranges.batch)}) {
    if (text.empty())
      continue;
    Expected<std::vector<int64_t>> range = parseSizeRange(text);
    if (!range)
      return range.takeError();
    *target = std::move(*range);
  }
  return ranges;
}

std::vector<MatmulSizes> MatmulRanges::expand() const {
  std::vector<MatmulSizes> all;
  for (int64_t b : batch.empty() ? std::vector<int64_t>{1} : batch)
    for (int64_t rows : m)
      for (int64_t columns : n)
        for (int64_t depth : k)
          all.push_back({rows, columns, depth, b});
  return all;
}

} // namespace tcgemm
