//===- KernelPack.h - A manifest and its compiled modules -------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel pack in memory, and as a directory (docs/reference/manifest.md):
// what the compiler hands to whatever launches its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_KERNELPACK_H
#define TCGEMM_TARGET_KERNELPACK_H

#include "tcgemm/Target/Manifest.h"

namespace tcgemm {

/// The code of one module.
struct ModuleImage {
  std::string ptx;
  std::string cubin; ///< Empty where ptxas did not run.
};

struct KernelPack {
  Manifest manifest;
  std::vector<ModuleImage> images; ///< One per manifest.modules.
  /// The elements of manifest.constants, row-major and little-endian; empty for
  /// those that have a value.
  std::vector<std::string> constants;
};

/// Lower-case hexadecimal SHA-256 of `bytes`.
std::string getSHA256(llvm::StringRef bytes);

/// Reads `directory`/manifest.json and the files that it names. Errors: a file
/// is missing, the manifest is malformed, a cubin or a constant is not the one
/// that the manifest was written for (truncated, for example).
llvm::Expected<KernelPack> readPack(llvm::StringRef directory);

/// Writes a pack, making the directory. The hashes are computed here: those in
/// `pack.manifest` are not looked at.
llvm::Error writePack(llvm::StringRef directory, KernelPack pack);

} // namespace tcgemm

#endif // TCGEMM_TARGET_KERNELPACK_H
