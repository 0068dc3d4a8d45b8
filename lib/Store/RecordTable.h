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

namespace tcgemm {

class RecordTable {
public:
  /// `version` is the version of the schema. The connection must outlive the
  /// table.
  RecordTable(sqlite::Connection &connection, int64_t version)
      : connection(connection), version(version) {}

  /// Writes a record inside a transaction of the caller.
  llvm::Error put(const Record &record);
  /// Writes the records that are better than the stored ones of the same key,
  /// inside a transaction of the caller, and counts them.
  llvm::Error addBetter(llvm::ArrayRef<Record> records, uint64_t &added);

  llvm::Expected<std::optional<Record>> get(const TuningProblem &problem,
                                            const KernelConfig &config,
                                            const Platform &platform) const;
  /// The matching records for which `condition`, in SQL, holds.
  llvm::Expected<std::vector<Record>>
  query(const RecordFilter &filter, llvm::StringRef condition = "") const;
  llvm::Expected<std::vector<Record>> getBest(const RecordFilter &filter) const;

private:
  llvm::Error
  forEachRecord(sqlite::Statement &statement,
                llvm::function_ref<llvm::Error(Record)> visit) const;

  sqlite::Connection &connection;
  int64_t version;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_RECORDTABLE_H
