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

/// Returns whether TCGEMM_LOG names a file. Otherwise no text for it is made.
bool isLogging();

/// Appends a line to the file that TCGEMM_LOG names (`-`: standard error).
/// Does nothing without the variable. A file that cannot be written is a line
/// on standard error.
void log(const llvm::Twine &line);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_LOG_H
