//===- BoundedJSON.h - JSON from outside ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_BOUNDEDJSON_H
#define TCGEMM_TARGET_BOUNDEDJSON_H

#include "llvm/Support/JSON.h"

namespace tcgemm {

/// The deepest nesting that files may have.
constexpr unsigned kMaxNesting = 64;

/// Parses JSON that users give. LLVM's parser recurses without a bound, so
/// that text which is nested too deep is an error before it is parsed.
llvm::Expected<llvm::json::Value> parseBoundedJSON(llvm::StringRef text);

} // namespace tcgemm

#endif // TCGEMM_TARGET_BOUNDEDJSON_H
