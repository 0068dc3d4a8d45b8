//===- Store.cpp - The database of records --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Store.h"
#include "Binaries.h"
#include "BuildTable.h"
#include "RecordTable.h"
#include "Schema.h"
#include "StoreMaintenance.h"
#include "StoreMerge.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tcgemm {

struct Store::Implementation {
  Implementation(std::string path, Database database)
      : path(std::move(path)), version(database.version),
        connection(std::move(database.connection)),
        records(connection, database.version), builds(connection) {}

  std::string path;
  int64_t version;
  sqlite::Connection connection;
  RecordTable records;
  BuildTable builds;
};

BuildKey getBuildKey(const TuningProblem &problem, const KernelConfig &config,
                     StringRef chip, bool isPTX) {
  // Code with compiled-in sizes does not support other sizes.
  std::string kernel =
      problem.kernel.isStatic ? problem.str() : problem.kernel.str();
  return {kernel, config, chip.str(), isPTX, getGeneratorVersion()};
}

Store::Store(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
Store::~Store() = default;

StringRef Store::getPath() const { return implementation->path; }

std::string Store::getBinaryPath() const {
  return implementation->path + ".binaries";
}

Expected<std::unique_ptr<Store>> Store::open(StringRef path, Mode mode) {
  Expected<Database> database = openDatabase(path, mode == Mode::ReadWrite);
  if (!database)
    return database.takeError();
  return std::unique_ptr<Store>(new Store(
      std::make_unique<Implementation>(path.str(), std::move(*database))));
}

Expected<std::unique_ptr<Store>> Store::openTemporary() {
  Expected<Database> database = openTemporaryDatabase();
  if (!database)
    return database.takeError();
  return std::unique_ptr<Store>(
      new Store(std::make_unique<Implementation>("", std::move(*database))));
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Error Store::put(const Record &record) {
  return implementation->connection.transact(
      [&] { return implementation->records.put(record); });
}

Expected<std::optional<Record>> Store::get(const TuningProblem &problem,
                                           const KernelConfig &config,
                                           const Platform &platform) const {
  return implementation->records.get(problem, config, platform);
}

Expected<std::vector<Record>> Store::query(const RecordFilter &filter) const {
  return implementation->records.query(filter);
}

Error Store::forEach(const RecordFilter &filter,
                     function_ref<Error(Record)> visit) const {
  return implementation->records.forEach(filter, visit);
}

Expected<std::vector<RecordSummary>>
Store::summarize(const RecordFilter &filter) const {
  return implementation->records.summarize(filter);
}

Expected<std::vector<Record>> Store::getBest(const RecordFilter &filter) const {
  return implementation->records.getBest(filter);
}

Expected<uint64_t> Store::countTies(const Record &best) const {
  return implementation->records.countTies(best);
}

Error Store::readSnapshot(function_ref<Error()> body) const {
  return implementation->connection.read(body);
}

//===----------------------------------------------------------------------===//
// Builds
//===----------------------------------------------------------------------===//

Error Store::putBuild(const Build &build) {
  return implementation->connection.transact(
      [&] { return implementation->builds.put(build); });
}

Expected<std::optional<Build>> Store::getBuild(const BuildKey &key,
                                               StringRef ptxas) const {
  return implementation->builds.get(key, ptxas);
}

Expected<KernelPack> Store::loadPack(const Build &build) const {
  return readBinaries(getBinaryPath(), build.manifest, build.binaries);
}

Error Store::removeCode(const Build &build) {
  for (const std::string &hash : build.binaries) {
    std::string path = getBinaryFile(getBinaryPath(), hash);
    if (std::error_code code = sys::fs::remove(path))
      return createStringError("cannot remove '" + path +
                               "': " + code.message());
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Maintenance
//===----------------------------------------------------------------------===//

Expected<StoreStats> Store::getStats() const {
  return tcgemm::getStats(implementation->connection, getBinaryPath());
}

Expected<std::vector<std::string>> Store::verify() const {
  Expected<std::vector<std::string>> problems =
      verifyTables(implementation->connection);
  if (!problems)
    return problems.takeError();
  // Checks that every row can be read.
  if (Error error =
          forEach({}, [](const Record &) { return Error::success(); }))
    problems->push_back(toString(std::move(error)));
  Error error = implementation->builds.forEach([&](Build &build) -> Error {
    if (build.outcome != Outcome::Success)
      return Error::success();
    if (Expected<KernelPack> pack = loadPack(build); !pack)
      problems->push_back("build of " + build.key.kernel + ", " +
                          build.key.config.str() + ": " +
                          toString(pack.takeError()));
    return Error::success();
  });
  if (error)
    problems->push_back(toString(std::move(error)));
  return problems;
}

Expected<uint64_t> Store::merge(ArrayRef<Record> records) {
  uint64_t added = 0;
  if (Error error = implementation->connection.transact(
          [&] { return implementation->records.addBetter(records, added); }))
    return std::move(error);
  return added;
}

Expected<uint64_t> Store::merge(const Store &other) {
  uint64_t added = 0;
  // A file has all of its own rows.
  if (sys::fs::equivalent(getPath(), other.getPath()))
    return added;
  // Code first, so that no build ever refers to missing code.
  bool hasCode = !getPath().empty();
  if (hasCode)
    if (Error error = forEachBinary(other.getBinaryPath(),
                                    [&](const std::string &path) -> Error {
                                      return copyBinary(path, getBinaryPath());
                                    }))
      return std::move(error);
  auto addBuild = [&](Build &build) -> Error {
    Expected<std::optional<Build>> known = getBuild(build.key, build.ptxas);
    if (!known || *known)
      return known.takeError();
    ++added;
    return implementation->builds.put(build);
  };
  auto addBuilds = [&]() -> Error {
    return hasCode ? other.implementation->builds.forEach(addBuild)
                   : Error::success();
  };
  if (Error error =
          mergeRecords(implementation->connection,
                       {other.getPath().str(), other.implementation->version},
                       added, addBuilds))
    return std::move(error);
  return added;
}

Expected<uint64_t> Store::prune(StringRef tcgemm) {
  uint64_t removed = 0;
  if (Error error = pruneRows(implementation->connection, tcgemm, removed))
    return std::move(error);
  Expected<StringSet<>> used = implementation->builds.getBinaries();
  if (!used)
    return used.takeError();
  if (Error error = pruneBinaries(getBinaryPath(), *used, removed))
    return std::move(error);
  return removed;
}

} // namespace tcgemm
