//===- SessionNumerics.h - Measures the errors of products ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSIONNUMERICS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSIONNUMERICS_H

#include "SessionContext.h"

namespace tcgemm {

/// Runs the generated product in all its modes, and prints and draws its
/// errors. Returns an exit code.
int runNumerics(SessionContext &context);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSIONNUMERICS_H
