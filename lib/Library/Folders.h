//===- Folders.h - Folders of the user --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FOLDERS_H
#define TCGEMM_LIB_LIBRARY_FOLDERS_H

#include <string>

namespace tcgemm::library {

/// `$XDG_CACHE_HOME/tcgemm` or `~/.cache/tcgemm`; empty without both variables.
std::string getCacheFolder();
/// `$XDG_DATA_HOME/tcgemm` or `~/.local/share/tcgemm`; empty without both.
std::string getDataFolder();

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FOLDERS_H
