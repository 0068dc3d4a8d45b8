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

/// Encodes bytes for the disk: compressed, with a header for decoding.
std::string packBytes(llvm::StringRef bytes);
llvm::Expected<std::string> unpackBytes(llvm::StringRef packed);

/// The file of a hash in `folder`.
std::string getBinaryFile(llvm::StringRef folder, llvm::StringRef hash);
/// Writes packed bytes as the file for `hash`. Several processes may do this at
/// a time: each has its own temporary file, and the file is always complete.
llvm::Error storePackedBinary(llvm::StringRef folder, llvm::StringRef hash,
                              llvm::StringRef packed);

/// Calls `visit` with the path of every file below the folder of binaries.
llvm::Error
forEachBinary(llvm::StringRef folder,
              llvm::function_ref<llvm::Error(const std::string &path)> visit);
/// Copies a file of packed bytes unless it is already in `folder`.
llvm::Error copyBinary(llvm::StringRef path, llvm::StringRef folder);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_BINARIES_H
