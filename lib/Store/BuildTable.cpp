//===- BuildTable.cpp - The rows of builds --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildTable.h"
#include "Binaries.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace llvm;

namespace tcgemm {

/// The columns are in the order of readBuild.
static constexpr StringLiteral kSelectBuilds =
    "SELECT b.kernel, c.text, b.chip, b.format, b.tcgemm, b.ptxas, b.outcome, "
    "b.message, b.milliseconds, b.manifest, b.binaries FROM main.builds b "
    "JOIN main.configs c ON c.id = b.config ";

Error BuildTable::put(const Build &build) {
  std::string config = build.key.config.str();
  Expected<sqlite::Statement> insert =
      connection.prepare("INSERT OR IGNORE INTO main.configs(text) VALUES(?)");
  if (!insert)
    return insert.takeError();
  if (Error error = insert->bind(config).run())
    return error;
  Expected<sqlite::Statement> statement =
      connection.prepare("INSERT OR REPLACE INTO main.builds VALUES(?, (SELECT "
                         "id FROM main.configs WHERE "
                         "text = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!statement)
    return statement.takeError();
  auto now = std::chrono::system_clock::now().time_since_epoch();
  statement
      ->bind(build.key.kernel, config, build.key.chip,
             build.key.isPTX ? "ptx" : "cubin", build.ptxas, build.key.tcgemm,
             getOutcomeName(build.outcome), build.message, build.milliseconds)
      .bindBlob(packBytes(build.manifest))
      .bind(join(build.binaries, " "),
            std::chrono::duration_cast<std::chrono::seconds>(now).count());
  return statement->run();
}

static Expected<Build> readBuild(const sqlite::Statement &row) {
  Build build;
  build.key.kernel = row.getText(0);
  if (Error error = build.key.config.apply(row.getText(1)))
    return std::move(error);
  build.key.chip = row.getText(2);
  build.key.isPTX = row.getText(3) == "ptx";
  build.key.tcgemm = row.getText(4);
  build.ptxas = row.getText(5);
  std::optional<Outcome> outcome = parseOutcome(row.getText(6));
  if (!outcome)
    return createStringError("database: outcome '" + row.getText(6) +
                             "' is unknown");
  build.outcome = *outcome;
  build.message = row.getText(7);
  build.milliseconds = row.getReal(8);
  Expected<std::string> manifest = unpackBytes(row.getText(9));
  if (!manifest)
    return createStringError("database: a manifest: " +
                             toString(manifest.takeError()));
  build.manifest = std::move(*manifest);
  std::string binaries = row.getText(10);
  SmallVector<StringRef> hashes;
  SplitString(binaries, hashes);
  build.binaries.assign(hashes.begin(), hashes.end());
  return build;
}

static Error forEachRow(sqlite::Statement &statement,
                        function_ref<Error(Build &)> visit) {
  return statement.forEach([&]() -> Error {
    Expected<Build> build = readBuild(statement);
    if (!build)
      return build.takeError();
    return visit(*build);
  });
}

Error BuildTable::forEach(function_ref<Error(Build &)> visit) const {
  Expected<sqlite::Statement> statement = connection.prepare(kSelectBuilds);
  if (!statement)
    return statement.takeError();
  return forEachRow(*statement, visit);
}

Expected<std::optional<Build>> BuildTable::get(const BuildKey &key,
                                               StringRef ptxas) const {
  Expected<sqlite::Statement> statement = connection.prepare(
      kSelectBuilds.str() +
      "WHERE b.kernel = ? AND c.text = ? AND b.chip = ? AND b.format = ? AND "
      "b.tcgemm = ? AND (? IN ('', b.ptxas)) ORDER BY b.timestamp DESC LIMIT "
      "1");
  if (!statement)
    return statement.takeError();
  statement->bind(key.kernel, key.config.str(), key.chip,
                  key.isPTX ? "ptx" : "cubin", key.tcgemm, ptxas);
  std::optional<Build> found;
  if (Error error = forEachRow(*statement, [&](Build &build) {
        found = std::move(build);
        return Error::success();
      }))
    return std::move(error);
  return found;
}

Expected<StringSet<>> BuildTable::getBinaries() const {
  StringSet<> used;
  Expected<sqlite::Statement> statement =
      connection.prepare("SELECT binaries FROM main.builds");
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
  return std::move(used);
}

} // namespace tcgemm
