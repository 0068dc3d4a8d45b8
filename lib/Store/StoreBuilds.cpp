//===- StoreBuilds.cpp - Compiled kernels in the store -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>

using namespace llvm;

namespace tcgemm {

const char *const kSelectBuilds =
    "SELECT b.kernel, c.text, b.chip, b.format, b.tcgemm, b.ptxas, b.outcome, "
    "b.message, b.milliseconds, b.manifest, b.binaries FROM builds b "
    "JOIN configs c ON c.id = b.config ";

BuildKey getBuildKey(const TuningProblem &problem, const KernelConfig &config,
                     StringRef chip, bool isPTX) {
  // Code with its sizes compiled in serves no others.
  std::string kernel =
      problem.kernel.isStatic ? problem.str() : problem.kernel.str();
  return {kernel, config, chip.str(), isPTX, getGeneratorVersion()};
}

Error Store::Implementation::putBuild(const Build &build) {
  std::string config = build.key.config.str();
  Expected<sqlite::Statement> insert =
      connection.prepare("INSERT OR IGNORE INTO configs(text) VALUES(?)");
  if (!insert)
    return insert.takeError();
  if (Error error = insert->bind(config).run())
    return error;
  Expected<sqlite::Statement> statement = connection.prepare(
      "INSERT OR REPLACE INTO builds VALUES(?, (SELECT id FROM configs WHERE "
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

Error Store::putBuild(const Build &build) {
  return implementation->connection.transact(
      [&] { return implementation->putBuild(build); });
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

Error Store::Implementation::forEachBuild(
    sqlite::Statement &statement, function_ref<Error(Build &)> visit) const {
  return statement.forEach([&]() -> Error {
    Expected<Build> build = readBuild(statement);
    if (!build)
      return build.takeError();
    return visit(*build);
  });
}

Expected<std::optional<Build>> Store::getBuild(const BuildKey &key,
                                               StringRef ptxas) const {
  Expected<sqlite::Statement> statement = implementation->connection.prepare(
      std::string(kSelectBuilds) +
      "WHERE b.kernel = ? AND c.text = ? AND b.chip = ? AND b.format = ? AND "
      "b.tcgemm = ? AND (? IN ('', b.ptxas)) ORDER BY b.timestamp DESC LIMIT "
      "1");
  if (!statement)
    return statement.takeError();
  statement->bind(key.kernel, key.config.str(), key.chip,
                  key.isPTX ? "ptx" : "cubin", key.tcgemm, ptxas);
  std::optional<Build> found;
  if (Error error = implementation->forEachBuild(*statement, [&](Build &build) {
        found = std::move(build);
        return Error::success();
      }))
    return std::move(error);
  return found;
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

} // namespace tcgemm
