//===- Schema.cpp - The tables of the database ----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schema.h"
#include "tcgemm/Store/Store.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tcgemm {

namespace {

/// "tcgm", which identifies databases of tcgemm for SQLite.
constexpr int64_t kApplicationId = 0x7463676d;

/// Statement i migrates a database from version i to version i + 1.
constexpr const char *kMigrations[] = {
    R"(
CREATE TABLE problems(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL,
  m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,
  batch INTEGER NOT NULL, tag TEXT NOT NULL, UNIQUE(kernel, m, n, k, batch));
CREATE TABLE configs(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE platforms(id INTEGER PRIMARY KEY, chip TEXT NOT NULL,
  device TEXT NOT NULL, driver TEXT NOT NULL, ptxas TEXT NOT NULL,
  tcgemm TEXT NOT NULL, UNIQUE(chip, device, driver, ptxas, tcgemm));
CREATE TABLE records(
  problem INTEGER NOT NULL REFERENCES problems(id),
  config INTEGER NOT NULL REFERENCES configs(id),
  platform INTEGER NOT NULL REFERENCES platforms(id),
  outcome TEXT NOT NULL, message TEXT NOT NULL, variant TEXT NOT NULL,
  stage TEXT NOT NULL, median REAL NOT NULL, low REAL NOT NULL,
  high REAL NOT NULL, samples TEXT NOT NULL, registers INTEGER NOT NULL,
  spill_bytes INTEGER NOT NULL, shared_memory INTEGER NOT NULL,
  threads INTEGER NOT NULL, workspace INTEGER NOT NULL, binary TEXT NOT NULL,
  compile_ms REAL NOT NULL, verify_ms REAL NOT NULL, measure_ms REAL NOT NULL,
  timestamp INTEGER NOT NULL,
  PRIMARY KEY(problem, platform, config)) WITHOUT ROWID;
CREATE TABLE builds(kernel TEXT NOT NULL,
  config INTEGER NOT NULL REFERENCES configs(id), chip TEXT NOT NULL,
  format TEXT NOT NULL, ptxas TEXT NOT NULL, tcgemm TEXT NOT NULL,
  outcome TEXT NOT NULL, message TEXT NOT NULL, milliseconds REAL NOT NULL,
  manifest BLOB NOT NULL, binaries TEXT NOT NULL, timestamp INTEGER NOT NULL,
  PRIMARY KEY(kernel, config, chip, format, tcgemm, ptxas)) WITHOUT ROWID;
)",
    R"(
ALTER TABLE records ADD COLUMN sm_clock INTEGER;
ALTER TABLE records ADD COLUMN memory_clock INTEGER;
ALTER TABLE records ADD COLUMN power REAL;
ALTER TABLE records ADD COLUMN temperature INTEGER;
ALTER TABLE records ADD COLUMN clock_events INTEGER;
)",
    // In the order of RecordTable::getBest: the fastest record of a problem on
    // a platform is found without reading the others.
    R"(
CREATE INDEX fastest ON records(problem, platform, stage <> 'final', median)
  WHERE outcome = 'success';
)",
};
static_assert(std::size(kMigrations) == Store::kSchemaVersion);

Error refuse(StringRef path, const Twine &why) {
  return createStringError("'" + path + "' " + why);
}

/// Creates the tables of a new database, or migrates an old one.
Error migrate(sqlite::Connection &connection) {
  return connection.transact([&]() -> Error {
    // Read again under the lock, because another process may have migrated.
    Expected<int64_t> version = connection.getInteger("PRAGMA user_version");
    if (!version)
      return version.takeError();
    for (int64_t v = *version; v < Store::kSchemaVersion; ++v)
      if (Error error = connection.execute(kMigrations[v]))
        return error;
    return connection.execute(
        "PRAGMA application_id = " + std::to_string(kApplicationId) +
        "; PRAGMA user_version = " + std::to_string(Store::kSchemaVersion));
  });
}

} // namespace

Expected<Database> openTemporaryDatabase() {
  Expected<sqlite::Connection> connection =
      sqlite::Connection::open("", /*create=*/true);
  if (!connection)
    return connection.takeError();
  if (Error error = connection->execute("PRAGMA synchronous = OFF"))
    return std::move(error);
  if (Error error = migrate(*connection))
    return std::move(error);
  return Database{std::move(*connection), Store::kSchemaVersion};
}

Expected<Database> openDatabase(StringRef path, bool writes) {
  if (!writes && !sys::fs::exists(path))
    return refuse(path, "is not a database: there is no such file");
  if (sys::fs::is_directory(path))
    return refuse(path, "is a folder, not a database");
  if (writes && sys::fs::exists(path) &&
      sys::fs::access(path, sys::fs::AccessMode::Write))
    return refuse(path, "cannot be written: it is read-only");
  Expected<sqlite::Connection> connection =
      sqlite::Connection::open(path.str(), writes);
  if (!connection)
    return connection.takeError();
  Expected<int64_t> tables =
      connection->getInteger("SELECT count(*) FROM sqlite_schema");
  if (!tables)
    return refuse(path, "is not a database of tcgemm: " +
                            toString(tables.takeError()));
  Expected<int64_t> application =
      connection->getInteger("PRAGMA application_id");
  if (!application)
    return application.takeError();
  Expected<int64_t> version = connection->getInteger("PRAGMA user_version");
  if (!version)
    return version.takeError();
  bool isNew = *tables == 0 && *application == 0;
  if (*application != kApplicationId && !(isNew && writes))
    return refuse(path, "is a database, but not one of tcgemm");
  if (*version < 0)
    return refuse(path, "has schema version " + Twine(*version) +
                            ", but versions are 0 or more");
  if (*version > Store::kSchemaVersion)
    return refuse(path, "has schema version " + Twine(*version) +
                            ", but this tcgemm knows up to " +
                            Twine(Store::kSchemaVersion) + ": use a newer one");
  if (writes) {
    // A killed process loses no committed data. A power failure may lose
    // commits, but not the consistency of the database.
    if (Error error = connection->useWriteAheadLog())
      return std::move(error);
    // A larger cache and a longer log write the pages of a batch once.
    if (Error error = connection->execute(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; "
            "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384"))
      return std::move(error);
    if (*version < Store::kSchemaVersion)
      if (Error error = migrate(*connection))
        return std::move(error);
    *version = Store::kSchemaVersion;
  }
  return Database{std::move(*connection), *version};
}

} // namespace tcgemm
