//===- SessionPtx.h - Runs a PTX file ---------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSIONPTX_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSIONPTX_H

#include "SessionContext.h"

namespace tcgemm {

/// Runs the kernel of a PTX file. Returns an exit code.
int runPtxFile(SessionContext &context);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSIONPTX_H
