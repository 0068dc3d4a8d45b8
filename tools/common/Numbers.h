//===- Numbers.h - Numbers on the command line ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_NUMBERS_H
#define TCGEMM_TOOLS_COMMON_NUMBERS_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <limits>
#include <string>
#include <type_traits>

namespace tcgemm {

/// The type that an option of the type T parses. LLVM's parsers of `long` and
/// `unsigned long` are final, those of the equal types `long long` are not.
template <typename T>
using ParsedNumber =
    std::conditional_t<std::is_same_v<T, long>, long long,
                       std::conditional_t<std::is_same_v<T, unsigned long>,
                                          unsigned long long, T>>;

/// Reads a number. In contrast to the error of LLVM's parsers, that of this one
/// has the rule and the limits.
template <typename T>
class NumberParser : public llvm::cl::parser<ParsedNumber<T>> {
  using Number = ParsedNumber<T>;
  using Base = llvm::cl::parser<Number>;

public:
  using Base::Base;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, Number &value) {
    std::string rule = "a number";
    if constexpr (std::is_integral_v<Number>) {
      if (!text.getAsInteger(0, value))
        return false;
      rule = "an integer from " +
             std::to_string(std::numeric_limits<Number>::min()) + " to " +
             std::to_string(std::numeric_limits<Number>::max());
    } else if (!text.empty() && llvm::to_float(text, value)) {
      return false;
    }
    return option.error("'" + text + "' is not " + rule, name);
  }

  llvm::StringRef getValueName() const override {
    return std::is_integral_v<Number> ? "integer" : "number";
  }
};

template <typename T>
using NumberOption = llvm::cl::opt<T, false, NumberParser<T>>;
template <typename T>
using NumberList = llvm::cl::list<T, bool, NumberParser<T>>;

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_NUMBERS_H
