//===- Log.h - Messages for users who ask -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_LOG_H
#define TCGEMM_LIB_LIBRARY_LOG_H

#include "llvm/ADT/Twine.h"

namespace tcgemm::library {

/// Whether TCGEMM_LOG names a file: whether texts for it are worth their time.
bool isLogging();

/// Appends a line to the file that TCGEMM_LOG names (`-`: standard error).
/// Does nothing without the variable.
void log(const llvm::Twine &line);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_LOG_H
