//===- StoreMaintenance.cpp - What looks after the store -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Calls `visit` with the path of every file below the folder of binaries.
Error forEachBinary(StringRef folder,
                    function_ref<Error(const std::string &path)> visit) {
  std::error_code code;
  for (sys::fs::recursive_directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (it->type() == sys::fs::file_type::regular_file)
      if (Error error = visit(it->path()))
        return error;
  // No folder: no build was ever stored.
  if (code && code != std::errc::no_such_file_or_directory)
    return createStringError("cannot list '" + folder + "': " + code.message());
  return Error::success();
}

/// What says more: a final over a screening, more samples over fewer, and the
/// later of two equals.
/// Copies a file of packed bytes, unless `folder` has it.
Error copyBinary(StringRef path, StringRef folder) {
  StringRef hash = sys::path::filename(path);
  if (hash.ends_with(".tmp") || sys::fs::exists(getBinaryFile(folder, hash)))
    return Error::success();
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return storePackedBinary(folder, hash, (*buffer)->getBuffer());
}

bool isBetter(const Record &record, const Record &than) {
  auto rank = [](const Record &r) {
    return std::make_tuple(r.isSuccess(), r.timing.stage,
                           r.timing.samples.size(), r.timestamp);
  };
  return rank(record) > rank(than);
}

} // namespace

Expected<StoreStats> Store::getStats() const {
  StoreStats stats;
  std::pair<const char *, uint64_t *> counts[] = {
      {"SELECT count(*) FROM problems", &stats.problems},
      {"SELECT count(*) FROM configs", &stats.configs},
      {"SELECT count(*) FROM platforms", &stats.platforms},
      {"SELECT count(*) FROM builds", &stats.builds}};
  for (auto [sql, target] : counts) {
    Expected<int64_t> count = implementation->connection.getInteger(sql);
    if (!count)
      return count.takeError();
    *target = *count;
  }
  Expected<sqlite::Statement> statement = implementation->connection.prepare(
      "SELECT outcome, count(*) FROM records GROUP BY outcome");
  if (!statement)
    return statement.takeError();
  if (Error error = statement->forEach([&]() -> Error {
        if (std::optional<Outcome> outcome =
                parseOutcome(statement->getText(0)))
          stats.records[static_cast<unsigned>(*outcome)] =
              statement->getInteger(1);
        return Error::success();
      }))
    return std::move(error);
  if (Error error =
          forEachBinary(getBinaryPath(), [&](const std::string &path) -> Error {
            uint64_t size = 0;
            if (!sys::fs::file_size(path, size)) {
              ++stats.binaries;
              stats.binaryBytes += size;
            }
            return Error::success();
          }))
    return std::move(error);
  return stats;
}

Expected<std::vector<std::string>> Store::verify() const {
  std::vector<std::string> problems;
  for (const char *sql :
       {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
    Expected<sqlite::Statement> statement =
        implementation->connection.prepare(sql);
    if (!statement)
      return statement.takeError();
    if (Error error = statement->forEach([&]() -> Error {
          std::string text = statement->getText(0);
          if (text != "ok")
            problems.push_back(std::string(sql).substr(7) + ": " + text);
          return Error::success();
        }))
      return std::move(error);
  }
  // Every row can be read.
  Expected<std::vector<Record>> records = query({});
  if (!records)
    problems.push_back(toString(records.takeError()));
  Expected<sqlite::Statement> statement =
      implementation->connection.prepare(kSelectBuilds);
  if (!statement)
    return statement.takeError();
  Error error =
      implementation->forEachBuild(*statement, [&](Build &build) -> Error {
        if (build.outcome != Outcome::Success)
          return Error::success();
        if (Expected<KernelPack> pack = loadPack(build); !pack)
          problems.push_back("build of " + build.key.kernel + ", " +
                             build.key.config.str() + ": " +
                             toString(pack.takeError()));
        return Error::success();
      });
  if (error)
    problems.push_back(toString(std::move(error)));
  return problems;
}

Error Store::addBetter(ArrayRef<Record> records, uint64_t &added) {
  for (const Record &record : records) {
    Expected<std::optional<Record>> known =
        get(record.problem, record.config, record.platform);
    if (!known)
      return known.takeError();
    if (*known && !isBetter(record, **known))
      continue;
    if (Error error = implementation->put(record))
      return error;
    ++added;
  }
  return Error::success();
}

Expected<uint64_t> Store::merge(ArrayRef<Record> records) {
  uint64_t added = 0;
  if (Error error = implementation->connection.transact(
          [&] { return addBetter(records, added); }))
    return std::move(error);
  return added;
}

Expected<uint64_t> Store::merge(const Store &other) {
  uint64_t added = 0;
  Expected<std::vector<Record>> records = other.query({});
  if (!records)
    return records.takeError();
  // Code first, so that no build ever refers to what is not there.
  if (Error error = forEachBinary(other.getBinaryPath(),
                                  [&](const std::string &path) -> Error {
                                    return copyBinary(path, getBinaryPath());
                                  }))
    return std::move(error);
  if (Error error = implementation->connection.transact([&]() -> Error {
        if (Error failure = addBetter(*records, added))
          return failure;
        Expected<sqlite::Statement> builds =
            other.implementation->connection.prepare(kSelectBuilds);
        if (!builds)
          return builds.takeError();
        return other.implementation->forEachBuild(
            *builds, [&](Build &build) -> Error {
              Expected<std::optional<Build>> known =
                  getBuild(build.key, build.ptxas);
              if (!known || *known)
                return known.takeError();
              ++added;
              return implementation->putBuild(build);
            });
      }))
    return std::move(error);
  return added;
}

Expected<uint64_t> Store::prune(StringRef tcgemm) {
  uint64_t removed = 0;
  auto run = [&](StringRef sql, bool hasVersion, bool counts) -> Error {
    Expected<sqlite::Statement> statement =
        implementation->connection.prepare(sql);
    if (!statement)
      return statement.takeError();
    if (hasVersion)
      statement->bind(tcgemm);
    if (Error error = statement->run())
      return error;
    if (counts)
      removed += implementation->connection.getNumChanges();
    return Error::success();
  };
  if (Error error = implementation->connection.transact([&]() -> Error {
        if (!tcgemm.empty()) {
          if (Error failure = run("DELETE FROM records WHERE platform IN "
                                  "(SELECT id FROM platforms WHERE tcgemm <> "
                                  "?)",
                                  true, true))
            return failure;
          if (Error failure =
                  run("DELETE FROM builds WHERE tcgemm <> ?", true, true))
            return failure;
        }
        for (StringRef sql :
             {"DELETE FROM platforms WHERE id NOT IN (SELECT platform FROM "
              "records)",
              "DELETE FROM problems WHERE id NOT IN (SELECT problem FROM "
              "records)",
              "DELETE FROM configs WHERE id NOT IN (SELECT config FROM records "
              "UNION SELECT config FROM builds)"})
          if (Error failure = run(sql, false, false))
            return failure;
        return Error::success();
      }))
    return std::move(error);
  StringSet<> used;
  Expected<sqlite::Statement> statement =
      implementation->connection.prepare("SELECT binaries FROM builds");
  if (!statement)
    return statement.takeError();
  if (Error error = statement->forEach([&]() -> Error {
        std::string text = statement->getText(0);
        SmallVector<StringRef> hashes;
        SplitString(text, hashes);
        for (StringRef hash : hashes)
          used.insert(hash);
        return Error::success();
      }))
    return std::move(error);
  if (Error error =
          forEachBinary(getBinaryPath(), [&](const std::string &path) -> Error {
            if (!used.contains(sys::path::filename(path)) &&
                !sys::fs::remove(path))
              ++removed;
            return Error::success();
          }))
    return std::move(error);
  return removed;
}

} // namespace tcgemm
