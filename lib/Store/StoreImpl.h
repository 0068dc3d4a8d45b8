//===- StoreImpl.h - What the parts of the store share ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records are in Store.cpp, builds in StoreBuilds.cpp, what looks after the
// whole in StoreMaintenance.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_STOREIMPL_H
#define TCGEMM_LIB_STORE_STOREIMPL_H

#include "Sqlite.h"
#include "tcgemm/Store/Store.h"

namespace tcgemm {

struct Store::Implementation {
  Implementation(std::string path, sqlite::Connection connection,
                 int64_t version)
      : path(std::move(path)), connection(std::move(connection)),
        version(version) {}

  /// Writes a record inside a transaction of the caller's.
  llvm::Error put(const Record &record);
  llvm::Error putBuild(const Build &build);
  /// Rows of the statement are what getSelectRecords (Store.cpp) selects.
  llvm::Error
  forEachRecord(sqlite::Statement &statement,
                llvm::function_ref<llvm::Error(Record)> visit) const;
  llvm::Error
  forEachBuild(sqlite::Statement &statement,
               llvm::function_ref<llvm::Error(Build &)> visit) const;

  std::string path;
  sqlite::Connection connection;
  int64_t version; ///< Of the schema; older ones are only read.
};

/// SELECT ... FROM of builds, in the order that forEachBuild reads.
extern const char *const kSelectBuilds;

/// Bytes as they are kept on disk: compressed, with what is needed to read
/// them back.
std::string packBytes(llvm::StringRef bytes);
llvm::Expected<std::string> unpackBytes(llvm::StringRef packed);

/// The file of a hash in `folder`.
std::string getBinaryFile(llvm::StringRef folder, llvm::StringRef hash);
/// Writes packed bytes as the file for `hash`. Several processes may do so at
/// a time: each has a temporary file of its own, and the file is always whole.
llvm::Error storePackedBinary(llvm::StringRef folder, llvm::StringRef hash,
                              llvm::StringRef packed);

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_STOREIMPL_H
