//===- Schema.h - The tables of the database --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_SCHEMA_H
#define TCGEMM_LIB_STORE_SCHEMA_H

#include "Sqlite.h"

namespace tcgemm {

/// An open database. With an older schema it is only read.
struct Database {
  sqlite::Connection connection;
  int64_t version; ///< The version of the schema.
};

/// Opens a database; see Store::open.
llvm::Expected<Database> openDatabase(llvm::StringRef path, bool writes);
/// Opens a new database in a temporary file, which is removed with it.
llvm::Expected<Database> openTemporaryDatabase();

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_SCHEMA_H
