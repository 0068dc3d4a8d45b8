//===- SourceNesting.h - How deep MLIR text is nested -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser calls itself for each bracket, and so would end the process by
// a stack overflow. Tools look at a text before they parse it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_SOURCENESTING_H
#define TCGEMM_PIPELINES_SOURCENESTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tcgemm {

/// As many as Clang takes by default.
inline constexpr unsigned kMaxSourceNesting = 256;

/// An error that names the line where brackets are nested too deeply. Takes any
/// text: what is not MLIR is the parser's business.
llvm::Error checkSourceNesting(llvm::StringRef source, llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_SOURCENESTING_H
