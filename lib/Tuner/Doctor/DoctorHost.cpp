//===- DoctorHost.cpp - Checks of the host --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor/DoctorChecks.h"
#include "tcgemm/Store/Store.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// A search's records and code take megabytes, not gigabytes.
constexpr uint64_t kLittleSpace = uint64_t(1) << 30;
constexpr uint64_t kNoSpace = uint64_t(32) << 20;

std::string getFolder(StringRef path) {
  StringRef parent = sys::path::parent_path(path);
  return parent.empty() ? "." : parent.str();
}

} // namespace

std::optional<Ptxas> checkPtxas(Checks &checks, const DoctorOptions &options,
                                bool isNeeded) {
  Expected<Ptxas> ptxas = Ptxas::find(options.ptxasPath);
  if (ptxas) {
    Expected<StringRef> version = ptxas->getVersion();
    if (version) {
      checks.ok("ptxas", ptxas->getPath() + ", version " + *version);
      return std::move(*ptxas);
    }
    checks.fail("ptxas",
                ptxas->getPath() + ": " + toString(version.takeError()),
                "give another (--ptxas, $TCGEMM_PTXAS)");
    return std::nullopt;
  }
  std::string why = toString(ptxas.takeError());
  if (isNeeded)
    checks.fail("ptxas", why,
                "install CUDA's compiler, or compile on another machine "
                "(--compile-only) and copy the database with its .binaries");
  else
    checks.ok("ptxas", why + "; the emulator needs none");
  return std::nullopt;
}

void checkDatabase(Checks &checks, StringRef path) {
  std::string folder = getFolder(path);
  if (!sys::fs::is_directory(folder)) {
    checks.fail("database",
                "'" + path + "': there is no folder '" + folder + "'",
                "make it, or give another --db");
    return;
  }
  bool isFolderWritable = !sys::fs::access(folder, sys::fs::AccessMode::Write);
  if (!sys::fs::exists(path)) {
    if (isFolderWritable)
      checks.ok("database", "'" + path + "' will be made");
    else
      checks.fail("database",
                  "'" + path +
                      "' cannot be made: the folder "
                      "cannot be written",
                  "give another --db");
    return;
  }
  // Opened for reading only, so that an old schema is not migrated.
  Expected<std::unique_ptr<Store>> store =
      Store::open(path, Store::Mode::ReadOnly);
  if (!store) {
    checks.fail("database", toString(store.takeError()), "give another --db");
    return;
  }
  Expected<StoreStats> stats = (*store)->getStats();
  if (!stats) {
    checks.fail("database", toString(stats.takeError()),
                "`tcgemm-tune db verify` may say more");
    return;
  }
  uint64_t records = 0;
  for (uint64_t count : stats->records)
    records += count;
  std::string text = formatv("'{0}' has {1} records of {2} problems", path,
                             records, stats->problems);
  // The log and the binaries are in the same folder.
  if (!isFolderWritable || sys::fs::access(path, sys::fs::AccessMode::Write))
    checks.fail("database", text + ", but cannot be written, or its folder",
                "make them writable, or give a copy as --db");
  else
    checks.ok("database", text);
}

void checkDisk(Checks &checks, StringRef path) {
  std::string folder = getFolder(path);
  if (!sys::fs::is_directory(folder))
    return; // The check of the database reports this.
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(folder);
  if (!space) {
    checks.warn("disk", "'" + folder + "': " + space.getError().message(),
                "its free space is not known");
    return;
  }
  std::string text =
      formatv("{0:f1} GiB free in '{1}'",
              static_cast<double>(space->available) / (1 << 30), folder);
  if (space->available < kNoSpace)
    checks.fail("disk", text, "free some, or give another --db");
  else if (space->available < kLittleSpace)
    checks.warn("disk", text, "a large search may fill it");
  else
    checks.ok("disk", text);
}

} // namespace tcgemm
