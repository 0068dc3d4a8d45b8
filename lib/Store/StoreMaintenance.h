//===- StoreMaintenance.h - Counts, checks and removals ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_STOREMAINTENANCE_H
#define TCGEMM_LIB_STORE_STOREMAINTENANCE_H

#include "Sqlite.h"
#include "tcgemm/Store/Store.h"
#include "llvm/ADT/StringSet.h"

namespace tcgemm {

/// Counts the rows, and the binaries in `folder`.
llvm::Expected<StoreStats> getStats(const sqlite::Connection &connection,
                                    llvm::StringRef folder);

/// SQLite's own check and the references of rows: one line for each defect.
llvm::Expected<std::vector<std::string>>
verifyTables(const sqlite::Connection &connection);

/// Removes records and builds of other versions than `tcgemm` (empty: of none),
/// and rows that nothing refers to. Adds the number of records and builds to
/// `removed`.
llvm::Error pruneRows(sqlite::Connection &connection, llvm::StringRef tcgemm,
                      uint64_t &removed);
/// Removes the binaries in `folder` that are not `used`, and counts them.
llvm::Error pruneBinaries(llvm::StringRef folder, const llvm::StringSet<> &used,
                          uint64_t &removed);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_STOREMAINTENANCE_H
