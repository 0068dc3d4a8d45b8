//===- SourceCheck.h - Text that crashes MLIR's parser ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some texts crash MLIR 22.1's parser instead of causing an error. Tools check
// their input for such text before they parse it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_SOURCECHECK_H
#define TCGEMM_PIPELINES_SOURCECHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tcgemm {

/// Clang's default limit.
inline constexpr unsigned kMaxSourceNesting = 256;

/// Returns an error `name:line: error: ...` for a text that crashes the parser:
///  - brackets that are nested more than kMaxSourceNesting deep: the parser
///    recurses, and a stack overflow ends the process;
///  - the list of a linalg.transpose, linalg.broadcast or linalg.reduce that is
///    no list of integers;
///  - a linalg.transpose of rank 0.
/// Any other text is accepted, whether it is MLIR or not.
llvm::Error checkSource(llvm::StringRef source, llvm::StringRef name);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_SOURCECHECK_H
