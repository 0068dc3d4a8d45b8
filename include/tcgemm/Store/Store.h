//===- Store.h - The database of records ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SQLite in WAL mode: several processes may write. Each record is committed
// separately, and committed records survive a kill. Compiled kernels are rows
// too. Their code is in `<database>.binaries/`, one compressed file for each
// hash, so that equal code is stored once.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_STORE_H
#define TCGEMM_STORE_STORE_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Target/KernelPack.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <numeric>

namespace tcgemm {

/// The key of a compiled kernel. `kernel` includes the sizes if they are
/// compiled in.
struct BuildKey {
  std::string kernel;
  KernelConfig config;
  std::string chip;
  bool isPTX = false; ///< For the emulator: without ptxas.
  std::string tcgemm;
};
BuildKey getBuildKey(const TuningProblem &problem, const KernelConfig &config,
                     llvm::StringRef chip, bool isPTX);

/// A compilation, successful or not.
struct Build {
  BuildKey key;
  std::string ptxas;
  Outcome outcome = Outcome::Success;
  std::string message;
  double milliseconds = 0;
  std::string manifest;              ///< JSON, docs/reference/manifest.md.
  std::vector<std::string> binaries; ///< SHA-256, one for each module.
};

/// Selects records; an empty field matches all.
struct RecordFilter {
  std::optional<KernelSpec> kernel;
  std::optional<MatmulSizes> sizes;
  std::string chip, device, driver, ptxas, tcgemm;
  std::optional<Outcome> outcome;
  std::optional<TimingStage> stage;
  /// The maximum number of records; 0: all.
  uint64_t limit = 0;
};

/// The records of a problem on a platform, counted.
struct RecordSummary {
  TuningProblem problem;
  Platform platform;
  std::array<uint64_t, kNumOutcomes> counts{}; ///< By outcome.
  uint64_t numTimed = 0;                       ///< Successes with a time.
  int64_t first = 0, last = 0;                 ///< The range of timestamps.

  uint64_t getCount() const {
    return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
  }
};

struct StoreStats {
  uint64_t problems = 0, configs = 0, platforms = 0, builds = 0;
  std::array<uint64_t, kNumOutcomes> records{};
  uint64_t binaries = 0, binaryBytes = 0;
};

class Store {
public:
  enum class Mode { ReadOnly, ReadWrite };
  /// The version of the schema that this library writes. Databases with an
  /// older version can be read, and are migrated when they are opened for
  /// writing. Newer versions are rejected. Version 2 added the device's state
  /// to records, version 3 an index that finds the fastest ones.
  static constexpr int kSchemaVersion = 3;

  /// Opens a database; `ReadWrite` creates a missing one. Errors: it cannot be
  /// read or written, is not a database of tcgemm, or has a newer version. A
  /// read-only database is an error for ReadWrite.
  static llvm::Expected<std::unique_ptr<Store>> open(llvm::StringRef path,
                                                     Mode mode);
  /// A new database in a temporary file, which is removed with the store. It
  /// has no code.
  static llvm::Expected<std::unique_ptr<Store>> openTemporary();
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// Empty for a temporary file.
  llvm::StringRef getPath() const;
  /// The folder of the binaries.
  std::string getBinaryPath() const;

  /// Writes a record and commits it. It replaces a record of the same problem,
  /// configuration and platform.
  llvm::Error put(const Record &record);
  llvm::Expected<std::optional<Record>> get(const TuningProblem &problem,
                                            const KernelConfig &config,
                                            const Platform &platform) const;
  /// Matching records: by problem, then fastest first, failures last.
  llvm::Expected<std::vector<Record>> query(const RecordFilter &filter) const;
  /// Calls `visit` for each matching record, until one fails: by problem, then
  /// by platform. It keeps no record, so that a database may be larger than
  /// memory.
  llvm::Error forEach(const RecordFilter &filter,
                      llvm::function_ref<llvm::Error(Record)> visit) const;
  /// One summary for each problem and platform that has matching records, in
  /// the order of `forEach`.
  llvm::Expected<std::vector<RecordSummary>>
  summarize(const RecordFilter &filter) const;
  /// The fastest success for each problem and platform that matches.
  llvm::Expected<std::vector<Record>> getBest(const RecordFilter &filter) const;
  /// The number of other records whose interval overlaps that of the best one
  /// of a problem on a platform, among finalists if it is one.
  llvm::Expected<uint64_t> countTies(const Record &best) const;
  /// All reads of `body` see the database as it is now, whatever others write.
  llvm::Error readSnapshot(llvm::function_ref<llvm::Error()> body) const;

  llvm::Error putBuild(const Build &build);
  /// The latest build of the key, by any ptxas unless one is specified.
  llvm::Expected<std::optional<Build>> getBuild(const BuildKey &key,
                                                llvm::StringRef ptxas) const;
  /// The pack of a successful build. Errors: a binary is missing, or does not
  /// match its hash.
  llvm::Expected<KernelPack> loadPack(const Build &build) const;
  /// Removes the files of a build's code, so that they are written again.
  llvm::Error removeCode(const Build &build);

  llvm::Expected<StoreStats> getStats() const;
  /// Runs SQLite's own check and checks the references of rows and the
  /// binaries' hashes. Returns one line for each defect.
  llvm::Expected<std::vector<std::string>> verify() const;
  /// Adds the contents of another database, all or none of them. Of two
  /// records with the same key, the one with more measurements is kept, or else
  /// the later one. Returns the number of added rows. Errors: the other
  /// database is damaged.
  llvm::Expected<uint64_t> merge(const Store &other);
  /// Adds records by the same rule, all or none of them.
  llvm::Expected<uint64_t> merge(llvm::ArrayRef<Record> records);
  /// Removes records and builds of other versions than `tcgemm` (empty: keeps
  /// all) and unreferenced binaries. Returns the number of removed items.
  llvm::Expected<uint64_t> prune(llvm::StringRef tcgemm);

private:
  struct Implementation;
  explicit Store(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

/// The records of files, each a database or lines of JSON, for reading: the
/// database if there is only that file, or else a temporary one with all of
/// them by the rule of `merge`. Errors name the file.
llvm::Expected<std::unique_ptr<Store>>
openRecords(llvm::ArrayRef<std::string> paths);

/// Writes the modules' code into `folder` by hash, atomically, and returns the
/// hashes. Several processes may do this at the same time.
llvm::Expected<std::vector<std::string>> writeBinaries(llvm::StringRef folder,
                                                       const KernelPack &pack);
/// A pack from a manifest and the hashes of its modules' code.
llvm::Expected<KernelPack> readBinaries(llvm::StringRef folder,
                                        llvm::StringRef manifest,
                                        llvm::ArrayRef<std::string> hashes);

} // namespace tcgemm

#endif // TCGEMM_STORE_STORE_H
