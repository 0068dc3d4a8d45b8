//===- DataFlags.cpp - Flags of the data of a problem ---------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataFlags.h"

#include "../common/FlagRange.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// Splits `name=value`; without a name, it is empty.
static std::pair<std::string, std::string> splitName(StringRef text) {
  auto [name, value] = text.split('=');
  if (text.contains('='))
    return {name.str(), value.str()};
  return {"", text.str()};
}

static Error readCounts(const cl::list<std::string> &texts, StringRef flag,
                        std::map<std::string, int64_t> &named, int64_t &all) {
  for (const std::string &text : texts) {
    auto [name, value] = splitName(text);
    int64_t count = 0;
    if (StringRef(value).getAsInteger(10, count) || count < 0)
      return llvm::createStringError("--" + flag + ": '" + value +
                                     "' is not a count");
    (name.empty() ? all : named[name]) = count;
  }
  return Error::success();
}

/// Reads `name=AxB`: one number for each dimension.
static Error readDimensions(const cl::list<std::string> &texts, StringRef flag,
                            std::map<std::string, std::vector<int64_t>> &all) {
  for (const std::string &text : texts) {
    auto [name, value] = splitName(text);
    std::vector<int64_t> numbers;
    llvm::SmallVector<StringRef> parts;
    StringRef(value).split(parts, 'x');
    for (StringRef part : parts)
      if (name.empty() || part.getAsInteger(10, numbers.emplace_back()) ||
          numbers.back() < 0)
        return llvm::createStringError("--" + flag + ": '" + text +
                                       "' is not name=AxB");
    all[name] = std::move(numbers);
  }
  return Error::success();
}

Error DataFlags::read(ProblemOptions &problem) const {
  if (Error error = checkFlagRange(repeat, 1, 1000000000))
    return error;
  problem.function = function;
  problem.variant = variant;
  problem.seed = seed;
  problem.repeat = repeat;
  for (const std::string &text : fills) {
    auto [name, value] = splitName(text);
    llvm::Expected<FillOptions> fill = parseFill(value);
    if (!fill)
      return fill.takeError();
    (name.empty() ? problem.defaultFill : problem.fills[name]) = *fill;
  }
  for (const std::string &text : scalars) {
    auto [name, value] = splitName(text);
    double number = 0;
    if (name.empty() || StringRef(value).getAsDouble(number))
      return llvm::createStringError("--scalar: '" + text +
                                     "' is not name=value");
    problem.scalars[name] = number;
  }
  if (Error error = readDimensions(shapes, "shape", problem.shapes))
    return error;
  if (Error error = readDimensions(strides, "array-strides", problem.strides))
    return error;
  if (Error error = readCounts(paddings, "ld-pad", problem.rowPaddings,
                               problem.defaultRowPadding))
    return error;
  return readCounts(offsets, "offset", problem.offsets, problem.defaultOffset);
}
