//===- BuildTable.h - The rows of builds ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_BUILDTABLE_H
#define TCGEMM_LIB_STORE_BUILDTABLE_H

#include "Sqlite.h"
#include "tcgemm/Store/Store.h"
#include "llvm/ADT/StringSet.h"

namespace tcgemm {

class BuildTable {
public:
  /// The connection must outlive the table.
  explicit BuildTable(sqlite::Connection &connection)
      : connection(connection) {}

  /// Writes a build inside a transaction of the caller.
  llvm::Error put(const Build &build);
  llvm::Expected<std::optional<Build>> get(const BuildKey &key,
                                           llvm::StringRef ptxas) const;
  llvm::Error forEach(llvm::function_ref<llvm::Error(Build &)> visit) const;
  /// The hashes of the binaries that builds refer to.
  llvm::Expected<llvm::StringSet<>> getBinaries() const;

private:
  sqlite::Connection &connection;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_BUILDTABLE_H
