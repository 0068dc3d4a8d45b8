//===- Binaries.h - Compiled code on disk -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_BINARIES_H
#define TCGEMM_LIB_STORE_BINARIES_H

#include "tcgemm/Store/Store.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tcgemm {

/// Bytes as they are kept on disk: compressed, with what is needed to read
/// them back.
std::string packBytes(llvm::StringRef bytes);
llvm::Expected<std::string> unpackBytes(llvm::StringRef packed);

/// The file of a hash in `folder`.
std::string getBinaryFile(llvm::StringRef folder, llvm::StringRef hash);
/// Writes packed bytes as the file for `hash`. Several processes may do so at
/// a time: each has a temporary file of its own, and the file is always whole.
llvm::Error storePackedBinary(llvm::StringRef folder, llvm::StringRef hash,
                              llvm::StringRef packed);

/// Calls `visit` with the path of every file below the folder of binaries.
llvm::Error
forEachBinary(llvm::StringRef folder,
              llvm::function_ref<llvm::Error(const std::string &path)> visit);
/// Copies a file of packed bytes, unless `folder` has it.
llvm::Error copyBinary(llvm::StringRef path, llvm::StringRef folder);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_BINARIES_H
