//===- Compilation.h - Kernels from the compiler library --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_COMPILATION_H
#define TCGEMM_LIB_LIBRARY_COMPILATION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tcgemm::library {

/// The properties that decide a kernel's code.
struct KernelKey {
  std::string source; ///< MLIR text.
  std::string chip;
  std::string config; ///< `#tcgemm.config<...>`
  bool isPTX = false; ///< True if the driver compiles the PTX: TCGEMM_PTX=1.

  /// A hash of these and of the version.
  std::string getHash() const;
};

/// Compiles a kernel to a new pack in `directory`. Loads the library of
/// TCGEMM_COMPILER, or libtcgemm-compiler.so beside this library. Errors have
/// the status TCGEMM_COMPILER.
llvm::Error compilePack(const KernelKey &key, llvm::StringRef directory);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_COMPILATION_H
