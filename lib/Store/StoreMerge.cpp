//===- StoreMerge.cpp - Records of another database -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other database is attached as `source`. Its numbers of problems,
// configurations and platforms are mapped to those of the target by temporary
// tables, and one statement copies the records. They are read in the order of
// their keys, so that their places in the target are near each other.
//
//===----------------------------------------------------------------------===//

#include "StoreMerge.h"
#include "RecordColumns.h"
#include "RecordTable.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr const char *kCreateMaps =
    "CREATE TEMP TABLE merged_problems(id INTEGER PRIMARY KEY, target INTEGER);"
    "CREATE TEMP TABLE merged_configs(id INTEGER PRIMARY KEY, target INTEGER);"
    "CREATE TEMP TABLE merged_platforms(id INTEGER PRIMARY KEY, target "
    "INTEGER)";
constexpr const char *kDropMaps = "DROP TABLE temp.merged_problems;"
                                  "DROP TABLE temp.merged_configs;"
                                  "DROP TABLE temp.merged_platforms";

/// While a merge runs: memory for the pages that it changes, and no check of
/// references, which are right by the maps.
constexpr const char *kMergeSettings =
    "PRAGMA main.cache_size = -262144; PRAGMA foreign_keys = OFF";
constexpr const char *kUsualSettings =
    "PRAGMA main.cache_size = -65536; PRAGMA foreign_keys = ON";

class RecordMerge {
public:
  RecordMerge(sqlite::Connection &connection, const MergeSource &source)
      : connection(connection), source(source),
        writer(connection, RecordWriter::Rule::IfBetter) {}

  Error run(uint64_t &added);

private:
  Error fail(const Twine &what) const {
    return createStringError("'" + source.path + "' cannot be merged: " + what);
  }
  /// Fills a map: `getTarget` gives the number in the target for each row that
  /// `sql` selects, whose first column is the number in the source.
  Error fillMap(StringRef map, StringRef sql,
                function_ref<Expected<int64_t>(const sqlite::Row &)> getTarget);
  Error mapProblems();
  Error mapConfigs();
  Error mapPlatforms();
  Error copyRecords(uint64_t &added);

  sqlite::Connection &connection;
  const MergeSource &source;
  RecordWriter writer;
};

Error RecordMerge::fillMap(
    StringRef map, StringRef sql,
    function_ref<Expected<int64_t>(const sqlite::Row &)> getTarget) {
  Expected<sqlite::Statement> rows = connection.prepare(sql);
  if (!rows)
    return rows.takeError();
  return rows->forEach([&]() -> Error {
    Expected<int64_t> target = getTarget(*rows);
    if (!target)
      return fail(toString(target.takeError()));
    Expected<sqlite::Statement> insert =
        connection.prepare(("INSERT INTO temp." + map + " VALUES(?, ?)").str());
    if (!insert)
      return insert.takeError();
    return insert->bind(rows->getInteger(0), *target).run();
  });
}

Error RecordMerge::mapProblems() {
  return fillMap("merged_problems",
                 "SELECT id, kernel, m, n, k, batch, tag FROM source.problems",
                 [&](const sqlite::Row &row) -> Expected<int64_t> {
                   Expected<KernelSpec> kernel =
                       KernelSpec::parse(row.getText(1));
                   if (!kernel)
                     return kernel.takeError();
                   TuningProblem problem{*kernel,
                                         {row.getInteger(2), row.getInteger(3),
                                          row.getInteger(4), row.getInteger(5)},
                                         row.getText(6)};
                   if (Error error = checkSizes(problem.sizes))
                     return std::move(error);
                   return writer.addProblem(problem);
                 });
}

Error RecordMerge::mapConfigs() {
  // A text that the target has was checked when it was written.
  return fillMap("merged_configs",
                 "SELECT s.id, s.text, t.id FROM source.configs s LEFT JOIN "
                 "main.configs t ON t.text = s.text",
                 [&](const sqlite::Row &row) -> Expected<int64_t> {
                   if (!row.isNull(2))
                     return row.getInteger(2);
                   KernelConfig config;
                   if (Error error = config.apply(row.getText(1)))
                     return std::move(error);
                   return writer.addConfig(config.str());
                 });
}

Error RecordMerge::mapPlatforms() {
  return fillMap(
      "merged_platforms",
      "SELECT id, chip, device, driver, ptxas, tcgemm FROM source.platforms",
      [&](const sqlite::Row &row) {
        return writer.addPlatform({row.getText(1), row.getText(2),
                                   row.getText(3), row.getText(4),
                                   row.getText(5)});
      });
}

Error RecordMerge::copyRecords(uint64_t &added) {
  // The connection keeps the function, and so the text.
  auto refusal = std::make_shared<std::string>();
  // Its arguments are the numbers in the target and the result.
  constexpr unsigned numKeys = 3;
  Error error = connection.addFunction(
      "check_record", [refusal](const sqlite::Row &row) -> Error {
        for (unsigned i = 0; i != numKeys; ++i)
          if (row.isNull(i))
            *refusal = "a record refers to a row that is not there";
        Record record;
        if (Error failure = readResult(row, numKeys, record))
          *refusal = toString(std::move(failure));
        return refusal->empty() ? Error::success()
                                : createStringError(*refusal);
      });
  if (error)
    return error;
  std::string values =
      "p.target, c.target, f.target, " + getResultColumns(source.version);
  Expected<sqlite::Statement> copy = connection.prepare(
      "INSERT INTO main.records SELECT " + values +
      " FROM source.records r LEFT JOIN temp.merged_problems p ON p.id = "
      "r.problem LEFT JOIN temp.merged_configs c ON c.id = r.config LEFT JOIN "
      "temp.merged_platforms f ON f.id = r.platform WHERE check_record(" +
      values + ")" + getConflictClause(/*onlyIfBetter=*/true));
  if (!copy)
    return copy.takeError();
  if (Error failure = copy->run()) {
    if (refusal->empty())
      return failure;
    consumeError(std::move(failure));
    return fail(*refusal);
  }
  added += connection.getNumChanges();
  return Error::success();
}

Error RecordMerge::run(uint64_t &added) {
  if (Error error = connection.execute(kCreateMaps))
    return error;
  if (Error error = mapProblems())
    return error;
  if (Error error = mapConfigs())
    return error;
  if (Error error = mapPlatforms())
    return error;
  if (Error error = copyRecords(added))
    return error;
  return connection.execute(kDropMaps);
}

} // namespace

Error mergeRecords(sqlite::Connection &connection, const MergeSource &source,
                   uint64_t &added, function_ref<Error()> finish) {
  if (Error error = connection.attach(source.path, "source"))
    return error;
  if (Error error = connection.execute(kMergeSettings))
    return joinErrors(std::move(error), connection.detach("source"));
  Error error = connection.transact([&]() -> Error {
    if (Error failure = RecordMerge(connection, source).run(added))
      return failure;
    return finish();
  });
  auto finishWith = [&](Error after) {
    // The first error is the relevant one.
    if (error)
      consumeError(std::move(after));
    else
      error = std::move(after);
  };
  finishWith(connection.execute(kUsualSettings));
  finishWith(connection.detach("source"));
  return error;
}

} // namespace tcgemm
