//===- FormatError.h - Errors with a formatted text -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_FORMATERROR_H
#define TCGEMM_TARGET_FORMATERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm {

/// An error whose text is `format` with the values in place of {0}, {1}, ...
template <typename... Ts>
llvm::Error formatError(const char *format, Ts &&...values) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Ts>(values)...).str());
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_FORMATERROR_H
