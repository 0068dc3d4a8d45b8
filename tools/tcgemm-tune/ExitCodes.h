//===- ExitCodes.h - Exit codes of tcgemm-tune ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --help documents them, and scripts rely on them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_EXITCODES_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_EXITCODES_H

namespace tcgemm {

enum ExitCode {
  kExitSuccess = 0,
  kExitNoConfig = 1,      ///< A problem has no valid configuration.
  kExitBadInput = 2,      ///< Options or files that do not fit.
  kExitNoDevice = 3,      ///< No device, or none that can be used.
  kExitRunFailed = 4,     ///< The run cannot continue: the database, ptxas.
  kExitRegression = 5,    ///< A version is slower than another.
  kExitInterrupted = 130, ///< Its state is saved.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_EXITCODES_H
