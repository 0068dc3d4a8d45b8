//===- UserFolders.h - Folders of the user ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_USERFOLDERS_H
#define TCGEMM_STORE_USERFOLDERS_H

#include <string>

namespace tcgemm {

/// `$XDG_CACHE_HOME/tcgemm` or `~/.cache/tcgemm`; empty without both variables.
std::string getCacheFolder();
/// `$XDG_DATA_HOME/tcgemm` or `~/.local/share/tcgemm`; empty without both.
std::string getDataFolder();
/// The user's database in it, which the C library reads; empty without a
/// folder.
std::string getUserDatabase();

} // namespace tcgemm

#endif // TCGEMM_STORE_USERFOLDERS_H
