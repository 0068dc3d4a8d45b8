//===- KernelPack.h - A manifest and its compiled modules -------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel pack in memory, and as a directory (docs/reference/manifest.md): the
// output of the compiler for programs that launch kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_KERNELPACK_H
#define TCGEMM_TARGET_KERNELPACK_H

#include "tcgemm/Target/Manifest.h"

namespace tcgemm {

/// The code of one module.
struct ModuleImage {
  std::string ptx;
  std::string cubin; ///< Empty if ptxas did not run.
};

struct KernelPack {
  Manifest manifest;
  std::vector<ModuleImage> images; ///< One per manifest.modules.
  /// The elements of manifest.constants, row-major and little-endian; empty for
  /// constants with one value for all elements.
  std::vector<std::string> constants;
};

/// Lower-case hexadecimal SHA-256 of `bytes`.
std::string getSHA256(llvm::StringRef bytes);

/// Reads `directory`/manifest.json and its files. Errors: a file is missing,
/// the manifest is malformed, or a cubin or a constant does not match its hash
/// in the manifest.
llvm::Expected<KernelPack> readPack(llvm::StringRef directory);

/// Writes a pack and creates the directory. The function computes the hashes
/// and ignores those in `pack.manifest`.
llvm::Error writePack(llvm::StringRef directory, KernelPack pack);

} // namespace tcgemm

#endif // TCGEMM_TARGET_KERNELPACK_H
