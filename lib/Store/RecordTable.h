//===- RecordTable.h - The rows of records ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_RECORDTABLE_H
#define TCGEMM_LIB_STORE_RECORDTABLE_H

#include "Sqlite.h"
#include "tcgemm/Store/Store.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

/// Writes records inside one transaction of the caller. It keeps the numbers of
/// problems, configurations and platforms, which no other process can change
/// until the transaction ends.
class RecordWriter {
public:
  /// States whether a record replaces one with the same key always, or only if
  /// it is better.
  enum class Rule { Always, IfBetter };
  /// The connection must outlive the writer.
  RecordWriter(sqlite::Connection &connection, Rule rule);

  /// Writes a record and counts it if it is new or has replaced another.
  llvm::Error write(const Record &record, uint64_t &count);

  // The numbers of rows, which are added if they do not exist. A problem gets
  // the tag, unless that is empty.
  llvm::Expected<int64_t> addProblem(const TuningProblem &problem);
  llvm::Expected<int64_t> addConfig(llvm::StringRef text);
  llvm::Expected<int64_t> addPlatform(const Platform &platform);

private:
  sqlite::Connection &connection;
  std::string insert;
  llvm::StringMap<int64_t> problems, configs, platforms;
};

class RecordTable {
public:
  /// `version` is the version of the schema. The connection must outlive the
  /// table.
  RecordTable(sqlite::Connection &connection, int64_t version);

  /// Writes a record inside a transaction of the caller.
  llvm::Error put(const Record &record);
  /// Writes the records that are better than the stored ones of the same key,
  /// inside a transaction of the caller, and counts them.
  llvm::Error addBetter(llvm::ArrayRef<Record> records, uint64_t &added);

  llvm::Expected<std::optional<Record>> get(const TuningProblem &problem,
                                            const KernelConfig &config,
                                            const Platform &platform) const;
  llvm::Expected<std::vector<Record>> query(const RecordFilter &filter) const;
  llvm::Error forEach(const RecordFilter &filter,
                      llvm::function_ref<llvm::Error(Record)> visit) const;
  llvm::Expected<std::vector<RecordSummary>>
  summarize(const RecordFilter &filter) const;
  llvm::Expected<std::vector<Record>> getBest(const RecordFilter &filter) const;
  llvm::Expected<uint64_t> countTies(const Record &best) const;

private:
  sqlite::Connection &connection;
  /// The start of a query of all columns, and of one of a record whose key is
  /// known.
  std::string select, selectResult;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_RECORDTABLE_H
