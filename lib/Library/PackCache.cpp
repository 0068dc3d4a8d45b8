//===- PackCache.cpp - Compiled kernels on disk ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackCache.h"
#include "Failure.h"
#include "Log.h"
#include "tcgemm/Store/UserFolders.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static Error makeFileError(const Twine &what, std::error_code code) {
  return fail(TCGEMM_FILE, what + ": " + code.message());
}

/// Compiles to a folder of its own, and moves that to `target`, if it is not
/// empty: other processes see a whole pack or none.
static Expected<KernelPack> compile(const KernelKey &key,
                                    const std::string &target) {
  llvm::SmallString<128> folder;
  std::error_code code = target.empty()
                             ? fs::createUniqueDirectory("tcgemm", folder)
                             : std::error_code();
  if (!target.empty()) {
    // The function above makes folders for temporary files only.
    fs::createUniquePath(target + ".%%%%%%%%", folder, /*MakeAbsolute=*/false);
    code = fs::create_directories(folder);
  }
  if (code)
    return makeFileError("cannot create '" + folder.str() + "'", code);
  llvm::scope_exit remove([&] {
    if (!fs::exists(folder))
      return; // It was moved.
    // Nothing depends on a folder that is left over.
    if (std::error_code left = fs::remove_directories(folder, false))
      log("cannot remove '" + folder.str() + "': " + left.message());
  });
  if (Error error = compilePack(key, folder))
    return std::move(error);
  Expected<KernelPack> pack = readPack(folder);
  if (!pack || target.empty())
    return pack;
  if (std::error_code moved = fs::rename(folder, target)) {
    // Another process was faster; its pack has the same key.
    if (!fs::exists(target))
      return makeFileError("cannot create '" + target + "'", moved);
  }
  return pack;
}

Expected<KernelPack> library::getPack(const KernelKey &key) {
  std::string folder = getCacheFolder();
  if (folder.empty())
    return compile(key, "");
  llvm::SmallString<128> target(folder);
  path::append(target, key.getHash());
  if (fs::exists(target)) {
    Expected<KernelPack> pack = readPack(target);
    if (pack) {
      log("reads " + target.str());
      return pack;
    }
    log("removes a damaged pack: " + llvm::toString(pack.takeError()));
    if (std::error_code code = fs::remove_directories(target, false))
      return makeFileError("cannot remove '" + target.str() + "'", code);
  }
  return compile(key, target.str().str());
}
