//===- FormatError.h - Errors with a text -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_FORMATERROR_H
#define TCGEMM_TARGET_FORMATERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tcgemm {

/// An error whose text is `format` with the values in place of {0}, {1}, ...
template <typename... Ts>
llvm::Error formatError(const char *format, Ts &&...values) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Ts>(values)...).str());
}

/// The base of a class of errors that have a text and nothing else. The class
/// declares its ID.
template <typename Self> class TextError : public llvm::ErrorInfo<Self> {
public:
  explicit TextError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

} // namespace tcgemm

#endif // TCGEMM_TARGET_FORMATERROR_H
