//===- PackCache.h - Compiled kernels on disk -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_PACKCACHE_H
#define TCGEMM_LIB_LIBRARY_PACKCACHE_H

#include "Compilation.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm::library {

/// Returns the pack of `$XDG_CACHE_HOME/tcgemm`, or of `~/.cache/tcgemm`, under
/// the key's hash. Compiles it if it is not there or damaged. Several processes
/// may do so at once. Without these variables the pack is not kept. Errors:
/// those of compilePack; a file cannot be read or written.
llvm::Expected<KernelPack> getPack(const KernelKey &key);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_PACKCACHE_H
