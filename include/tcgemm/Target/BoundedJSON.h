//===- BoundedJSON.h - JSON from users --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_BOUNDEDJSON_H
#define TCGEMM_TARGET_BOUNDEDJSON_H

#include "llvm/Support/JSON.h"

namespace tcgemm {

/// The maximum nesting of files.
constexpr unsigned kMaxNesting = 64;

/// Parses JSON from users. LLVM's parser recurses without a bound; text with
/// too deep a nesting is therefore rejected before it is parsed.
llvm::Expected<llvm::json::Value> parseBoundedJSON(llvm::StringRef text);

} // namespace tcgemm

#endif // TCGEMM_TARGET_BOUNDEDJSON_H
