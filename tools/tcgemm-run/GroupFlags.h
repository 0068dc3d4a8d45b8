//===- GroupFlags.h - Flags of generated grouped products -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_GROUPFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_GROUPFLAGS_H

#include "InputFlags.h"

#include "llvm/Support/Error.h"

namespace tcgemm {

/// Reads the kind and the sizes of groups into the problem's sizes and into the
/// operand that has them. Errors: a word is wrong, or a size is missing, given
/// twice or too large.
llvm::Error readGroups(const InputFlags &flags, SessionOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_GROUPFLAGS_H
