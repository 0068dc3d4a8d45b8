//===- Budget.cpp - Limits of a search ------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Strategy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {

/// Prints a number without trailing zeros.
static std::string print(double value) {
  std::string text;
  raw_string_ostream(text) << format("%g", value);
  return text;
}

static Error parseLimit(StringRef text, Budget &budget) {
  StringRef number = text.rtrim("%smh");
  StringRef unit = text.drop_front(number.size());
  double value = 0;
  bool valid = !number.getAsDouble(value) && value > 0 && value < 1e15;
  if (unit.empty()) {
    valid = valid && value == std::floor(value);
    if (valid) // Otherwise it may be out of the type's range.
      budget.candidates = static_cast<uint64_t>(value);
  } else if (unit == "%") {
    valid &= value <= 100;
    budget.percent = value;
  } else if (unit == "s" || unit == "m" || unit == "h") {
    budget.seconds = value * (unit == "s" ? 1 : unit == "m" ? 60 : 3600);
  } else {
    valid = false;
  }
  if (valid)
    return Error::success();
  return createStringError("budget '" + text +
                           "': expected a time as 30s, 2m or 1h, a number of "
                           "candidates, or a percentage from above 0 to 100% "
                           "of the legal configurations");
}

Expected<Budget> Budget::parse(StringRef text) {
  Budget budget;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (Error error = parseLimit(part.trim(), budget))
      return std::move(error);
  return budget;
}

std::string Budget::str() const {
  SmallVector<std::string> parts;
  if (seconds > 0)
    parts.push_back(formatv("{0}s", print(seconds)));
  if (candidates > 0)
    parts.push_back(std::to_string(candidates));
  if (percent > 0)
    parts.push_back(formatv("{0}%", print(percent)));
  return parts.empty() ? "none" : join(parts, ",");
}

} // namespace tcgemm
