//===- OutputFile.h - Files that are written as a whole ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_OUTPUTFILE_H
#define TCGEMM_TARGET_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tcgemm {

/// Writes a file, or the standard output if `path` is "-". A new file has all
/// of its contents before it has its name, so that an error leaves an old file
/// as it was. A symbolic link stays one, and its file is replaced. A pipe or a
/// device is written directly. Errors are those of `write`, and FileErrors of
/// `path`.
llvm::Error
writeOutputFile(llvm::StringRef path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

/// Finds out in advance whether writeOutputFile could write `path`, for results
/// that take long to compute.
llvm::Error checkOutputFile(llvm::StringRef path);

} // namespace tcgemm

#endif // TCGEMM_TARGET_OUTPUTFILE_H
