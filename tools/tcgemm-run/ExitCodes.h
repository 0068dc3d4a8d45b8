//===- ExitCodes.h - Exit codes of tcgemm-run -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --help documents them, and scripts rely on them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_EXITCODES_H
#define TCGEMM_TOOLS_TCGEMM_RUN_EXITCODES_H

namespace tcgemm {

enum ExitCode {
  kExitSuccess = 0,
  kExitWrongResult = 1, ///< A result is wrong.
  kExitBadInput = 2,    ///< Options, files, packs or problems that do not fit.
  kExitNoDevice = 3,
  kExitDeviceError = 4,
  kExitTimeout = 5,
  kExitFinding = 6,       ///< The emulator found defects; results may be right.
  kExitInterrupted = 130, ///< As shells name an end by SIGINT.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_EXITCODES_H
