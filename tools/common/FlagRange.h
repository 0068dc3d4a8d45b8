//===- FlagRange.h - Ranges of numbers on the command line ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_FLAGRANGE_H
#define TCGEMM_TOOLS_COMMON_FLAGRANGE_H

#include "Numbers.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <type_traits>

namespace tcgemm {

/// The most seconds of a time limit: 31 years, which clocks can still add.
inline constexpr double kMostSeconds = 1e9;

/// Fails unless a flag's number is from `least` to `most`; NaN is in no range.
/// `unit` stands behind numbers in the error: " s".
template <typename T>
llvm::Error checkFlagRange(const NumberOption<T> &flag,
                           std::common_type_t<T> least,
                           std::common_type_t<T> most, const char *unit = "") {
  const T &value = flag.getValue();
  if (value >= least && value <= most)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](T number) {
    if constexpr (std::is_floating_point_v<T>)
      os << llvm::format("%g", number);
    else
      os << number;
    os << unit;
  };
  os << "--" << flag.ArgStr << " is ";
  print(value);
  os << ", but it must be from ";
  print(least);
  os << " to ";
  print(most);
  return llvm::createStringError(text);
}

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_FLAGRANGE_H
