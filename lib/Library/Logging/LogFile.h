//===- LogFile.h - Files that lines of messages are appended to -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libtcgemm and libtcgemm_cublas write their messages with these functions,
// which need no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_LOGGING_LOGFILE_H
#define TCGEMM_LIB_LIBRARY_LOGGING_LOGFILE_H

#include <string>

namespace tcgemm::logfile {

/// Returns the path that TCGEMM_LOG has; null if it is not set or empty.
const char *getPath();

/// Appends a text to a file; `-` is standard error. A file that cannot be
/// written is no reason to fail a product: it is a line of `program` on
/// standard error.
void append(const char *program, const char *path, const std::string &text);

/// Appends the line "program: line" in the same way.
void appendLine(const char *program, const char *path, const std::string &line);

} // namespace tcgemm::logfile

#endif // TCGEMM_LIB_LIBRARY_LOGGING_LOGFILE_H
