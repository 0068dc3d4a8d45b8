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
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static Error makeFileError(const Twine &what, std::error_code code) {
  return fail(TCGEMM_FILE, what + ": " + code.message());
}

static Expected<std::string> readText(StringRef folder, StringRef name) {
  llvm::SmallString<128> file(folder);
  path::append(file, name);
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return makeFileError("cannot read '" + file.str() + "'", buffer.getError());
  return (*buffer)->getBuffer().str();
}

/// The file of a pack's seal.
constexpr StringLiteral kSeal = "seal";

/// A hash of the key and of all that the pack is used for. It finds damage that
/// leaves a manifest or PTX which can be read, and packs of other keys or
/// chips.
static Expected<std::string> computeSeal(const KernelKey &key, StringRef folder,
                                         const KernelPack &pack) {
  Expected<std::string> manifest = readText(folder, "manifest.json");
  if (!manifest)
    return manifest;
  // Each part has its own hash, so that no byte can move between two of them.
  std::string text = key.getHash() + getSHA256(*manifest);
  for (const ModuleImage &image : pack.images)
    text += getSHA256(image.ptx) + getSHA256(image.cubin);
  return getSHA256(text);
}

/// Reads a pack and compares it with its seal.
static Expected<KernelPack> readSealed(const KernelKey &key, StringRef folder) {
  Expected<KernelPack> pack = readPack(folder);
  if (!pack)
    return pack;
  Expected<std::string> seal = readText(folder, kSeal);
  if (!seal)
    return seal.takeError();
  Expected<std::string> wanted = computeSeal(key, folder, *pack);
  if (!wanted)
    return wanted.takeError();
  if (*seal != *wanted)
    return fail(TCGEMM_FILE, "'" + folder +
                                 "' has been changed, or is the pack of "
                                 "another kernel or chip");
  return pack;
}

/// Writes the seal of a new pack.
static Error writeSeal(const KernelKey &key, StringRef folder,
                       const KernelPack &pack) {
  Expected<std::string> seal = computeSeal(key, folder, pack);
  if (!seal)
    return seal.takeError();
  llvm::SmallString<128> target(folder);
  path::append(target, kSeal);
  std::error_code code;
  llvm::raw_fd_ostream out(target, code);
  if (!code) {
    out << *seal;
    out.close();
    code = out.error();
    out.clear_error();
  }
  if (code)
    return makeFileError("cannot write '" + target.str() + "'", code);
  return Error::success();
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
  if (Error error = writeSeal(key, folder, *pack))
    return std::move(error);
  if (std::error_code moved = fs::rename(folder, target)) {
    // Another process was faster; its pack has the same key.
    if (!fs::exists(target))
      return makeFileError("cannot create '" + target + "'", moved);
  }
  return pack;
}

/// Removes a pack, and returns whether its place is free. Other processes may
/// remove it, too, or put a good one there: it is moved away before its files
/// are removed.
static bool removePack(StringRef target) {
  llvm::SmallString<128> aside;
  fs::createUniquePath(target + ".%%%%%%%%", aside, /*MakeAbsolute=*/false);
  std::error_code code = fs::rename(target, aside);
  if (code && code != std::errc::no_such_file_or_directory) {
    log("cannot move '" + target + "': " + code.message());
    return false;
  }
  if (!code)
    fs::remove_directories(aside);
  return true;
}

Expected<KernelPack> library::getPack(const KernelKey &key) {
  std::string folder = getCacheFolder();
  if (folder.empty())
    return compile(key, "");
  llvm::SmallString<128> target(folder);
  path::append(target, key.getHash());
  if (fs::exists(target)) {
    Expected<KernelPack> pack = readSealed(key, target);
    if (pack) {
      log("reads " + target.str());
      return pack;
    }
    log("removes a damaged pack: " + llvm::toString(pack.takeError()));
    if (!removePack(target))
      return compile(key, "");
  }
  return compile(key, target.str().str());
}
