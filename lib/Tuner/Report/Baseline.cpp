//===- Baseline.cpp - Times of another library ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Baseline.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

using Cells = SmallVector<StringRef, 8>;

Cells splitLine(StringRef line) {
  Cells cells;
  line.split(cells, ',');
  for (StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

/// The positions of the columns.
class Header {
public:
  explicit Header(const Cells &cells) {
    for (StringRef cell : cells)
      names.push_back(cell.lower());
  }
  bool has(StringRef name) const { return is_contained(names, name); }
  size_t size() const { return names.size(); }
  /// The cell of a column; empty if there is no such column.
  StringRef get(const Cells &cells, StringRef name) const {
    const auto *found = find(names, name);
    return found == names.end() ? "" : cells[found - names.begin()];
  }

private:
  SmallVector<std::string, 8> names;
};

Expected<BaselineTime> readRow(const Header &header, const Cells &cells) {
  if (cells.size() != header.size())
    return createStringError("has " + Twine(cells.size()) + " cells, but " +
                             Twine(header.size()) + " columns are named");
  std::string batch = header.get(cells, "batch").str();
  Expected<MatmulSizes> sizes = MatmulSizes::parse(
      (batch.empty() ? "1" : batch) + "x" + header.get(cells, "m").str() + "x" +
      header.get(cells, "n").str() + "x" + header.get(cells, "k").str());
  if (!sizes)
    return sizes.takeError();
  BaselineTime time;
  time.sizes = *sizes;
  StringRef text = header.get(cells, "us");
  if (text.getAsDouble(time.microseconds) ||
      !std::isfinite(time.microseconds) || time.microseconds <= 0)
    return createStringError("us = '" + text +
                             "', but it must be a time above 0");
  time.device = header.get(cells, "device").str();
  if (StringRef kernel = header.get(cells, "kernel"); !kernel.empty()) {
    Expected<KernelSpec> spec = KernelSpec::parse(kernel);
    if (!spec)
      return spec.takeError();
    time.kernel = std::move(*spec);
  }
  return time;
}

} // namespace

std::optional<double> Baseline::find(const TuningProblem &problem,
                                     StringRef device) const {
  auto found = find_if(times, [&](const BaselineTime &time) {
    return time.sizes == problem.sizes &&
           (!time.kernel || *time.kernel == problem.kernel) &&
           (time.device.empty() || time.device == device);
  });
  if (found == times.end())
    return std::nullopt;
  return found->microseconds;
}

Expected<Baseline> parseBaseline(StringRef text, StringRef fileName) {
  Baseline baseline;
  std::optional<Header> header;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : enumerate(lines)) {
    StringRef trimmed = line.trim();
    if (trimmed.empty() || trimmed.starts_with("#"))
      continue;
    auto fail = [&, n = number + 1](Error error) {
      return createStringError(fileName + ":" + Twine(n) + ": " +
                               toString(std::move(error)));
    };
    Cells cells = splitLine(trimmed);
    if (!header) {
      header.emplace(cells);
      for (StringRef name : {"m", "n", "k", "us"})
        if (!header->has(name))
          return fail(createStringError("the first line must name columns M, "
                                        "N, K and us; '" +
                                        name + "' is not there"));
      continue;
    }
    Expected<BaselineTime> row = readRow(*header, cells);
    if (!row)
      return fail(row.takeError());
    if (baseline.name.empty())
      baseline.name = header->get(cells, "library").str();
    baseline.times.push_back(std::move(*row));
  }
  if (baseline.times.empty())
    return createStringError(fileName + ": has no times");
  if (baseline.name.empty())
    baseline.name = sys::path::stem(fileName).str();
  return baseline;
}

Expected<Baseline> readBaseline(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, ".csv");
  if (!text)
    return text.takeError();
  return parseBaseline(*text, name);
}

} // namespace tcgemm
