//===- SessionContext.h - The shared parts of a session ---------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_SESSIONCONTEXT_H
#define TCGEMM_TOOLS_TCGEMM_RUN_SESSIONCONTEXT_H

#include "SessionOptions.h"
#include "Watchdog.h"

namespace tcgemm {

/// The options of a session, its streams, its reporter and its watchdog.
struct SessionContext {
  SessionContext(const SessionOptions &options, llvm::raw_ostream &out,
                 llvm::raw_ostream &err)
      : options(options), out(out), err(err), reporter(options.format, out),
        watchdog(options.timeout) {}

  /// Prints the error. Returns `code`, or the code of device errors if the
  /// error is one.
  int fail(llvm::Error error, int code) const;

  const SessionOptions &options;
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
  Reporter reporter;
  Watchdog watchdog;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_SESSIONCONTEXT_H
