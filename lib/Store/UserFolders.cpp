//===- UserFolders.cpp - Folders of the user ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/UserFolders.h"

#include "llvm/Support/Path.h"

#include <cstdlib>

namespace path = llvm::sys::path;

/// tcgemm's part of the folder that `variable` names, or else of `rest` in the
/// home folder.
static std::string getFolder(const char *variable, llvm::StringRef rest) {
  llvm::SmallString<128> folder;
  const char *named = std::getenv(variable);
  const char *home = std::getenv("HOME");
  // The specification of XDG ignores relative paths.
  if (named && path::is_absolute(named))
    folder = named;
  else if (home && path::is_absolute(home))
    path::append(folder, home, rest);
  else
    return "";
  path::append(folder, "tcgemm");
  return folder.str().str();
}

std::string tcgemm::getCacheFolder() {
  return getFolder("XDG_CACHE_HOME", ".cache");
}

std::string tcgemm::getDataFolder() {
  return getFolder("XDG_DATA_HOME", ".local/share");
}

std::string tcgemm::getUserDatabase() {
  std::string folder = getDataFolder();
  return folder.empty() ? "" : folder + "/records.db";
}
