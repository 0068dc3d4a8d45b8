//===- RecordColumns.h - The columns of results -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of records is its key (problem, config, platform) and the columns of
// its result.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_RECORDCOLUMNS_H
#define TCGEMM_LIB_STORE_RECORDCOLUMNS_H

#include "Sqlite.h"
#include "tcgemm/Store/Record.h"

namespace tcgemm {

/// The columns of a result for SELECT, from the table `r` in a schema of that
/// version. Columns that the version lacks are NULL.
std::string getResultColumns(int64_t version);
/// The number of columns of a result.
unsigned getNumResultColumns();

/// Reads a result from the columns that start at `first`, and checks its
/// numbers except for the sizes.
llvm::Error readResult(const sqlite::Row &row, unsigned first, Record &record);
/// Binds a result in the order of the columns.
void bindResult(sqlite::Statement &statement, const Record &record);

/// The end of an INSERT INTO records: what happens to a record with the same
/// key. The new one replaces it always, or only if it is better.
///
/// A success is better than a failure, a final is better than a screening, and
/// more samples are better than fewer. If they are equal, the later record is
/// better.
std::string getConflictClause(bool onlyIfBetter);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_RECORDCOLUMNS_H
