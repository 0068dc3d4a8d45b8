//===- StoreMaintenance.cpp - Counts, checks and removals -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreMaintenance.h"
#include "Binaries.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tcgemm {

Expected<StoreStats> getStats(const sqlite::Connection &connection,
                              StringRef folder) {
  StoreStats stats;
  std::pair<const char *, uint64_t *> counts[] = {
      {"SELECT count(*) FROM problems", &stats.problems},
      {"SELECT count(*) FROM configs", &stats.configs},
      {"SELECT count(*) FROM platforms", &stats.platforms},
      {"SELECT count(*) FROM builds", &stats.builds}};
  for (auto [sql, target] : counts) {
    Expected<int64_t> count = connection.getInteger(sql);
    if (!count)
      return count.takeError();
    *target = *count;
  }
  Expected<sqlite::Statement> statement = connection.prepare(
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
          forEachBinary(folder, [&](const std::string &path) -> Error {
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

Expected<std::vector<std::string>>
verifyTables(const sqlite::Connection &connection) {
  std::vector<std::string> problems;
  for (const char *sql :
       {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
    Expected<sqlite::Statement> statement = connection.prepare(sql);
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
  return problems;
}

/// Removes records and builds of other versions than `tcgemm`, and counts them.
static Error removeVersions(sqlite::Connection &connection, StringRef tcgemm,
                            uint64_t &removed) {
  for (StringRef sql :
       {"DELETE FROM records WHERE platform IN (SELECT id FROM platforms WHERE "
        "tcgemm <> ?)",
        "DELETE FROM builds WHERE tcgemm <> ?"}) {
    Expected<sqlite::Statement> statement = connection.prepare(sql);
    if (!statement)
      return statement.takeError();
    if (Error error = statement->bind(tcgemm).run())
      return error;
    removed += connection.getNumChanges();
  }
  return Error::success();
}

Error pruneRows(sqlite::Connection &connection, StringRef tcgemm,
                uint64_t &removed) {
  return connection.transact([&]() -> Error {
    if (!tcgemm.empty())
      if (Error error = removeVersions(connection, tcgemm, removed))
        return error;
    return connection.execute(
        "DELETE FROM platforms WHERE id NOT IN (SELECT platform FROM records);"
        "DELETE FROM problems WHERE id NOT IN (SELECT problem FROM records);"
        "DELETE FROM configs WHERE id NOT IN (SELECT config FROM records "
        "UNION SELECT config FROM builds)");
  });
}

Error pruneBinaries(StringRef folder, const StringSet<> &used,
                    uint64_t &removed) {
  return forEachBinary(folder, [&](const std::string &path) -> Error {
    if (!used.contains(sys::path::filename(path)) && !sys::fs::remove(path))
      ++removed;
    return Error::success();
  });
}

} // namespace tcgemm
