//===- Log.h - Messages of the replaced functions ------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_LOG_H
#define TCGEMM_LIB_CUBLASSHIM_LOG_H

#include <string>

namespace tcgemm::shim {

/// Returns whether TCGEMM_LOG names a file.
bool isLogging();

/// Appends a line to the file that TCGEMM_LOG names (`-`: standard error), if
/// there is one.
void log(const std::string &line);

/// Appends a text to a file (`-`: standard error). A file that cannot be
/// written is a line on standard error.
void append(const char *path, const std::string &text);

/// Prints a line for a mistake of the user to standard error.
void complain(const std::string &line);

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_LOG_H
