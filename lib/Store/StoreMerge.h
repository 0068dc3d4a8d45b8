//===- StoreMerge.h - Records of another database ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_STOREMERGE_H
#define TCGEMM_LIB_STORE_STOREMERGE_H

#include "Sqlite.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tcgemm {

/// A database to merge.
struct MergeSource {
  std::string path;
  int64_t version; ///< The version of its schema.
};

/// Adds the records of `source` that are better than those of the same key, and
/// counts them. `finish` runs in the same transaction, behind them: all is
/// added, or nothing. SQLite copies the rows, so that millions of them need
/// little memory; each is checked. Not inside a transaction.
llvm::Error mergeRecords(sqlite::Connection &connection,
                         const MergeSource &source, uint64_t &added,
                         llvm::function_ref<llvm::Error()> finish);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_STOREMERGE_H
