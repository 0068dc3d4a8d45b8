//===- BuildStore.h - Where an engine keeps builds --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builds of one machine are in its database. Those of a work list are files
// in its folder, because several machines must not write to one database on a
// shared file system:
//
//   builds/HH/KEY.json  a build; its name is a hash of its key
//   code/HH/HASH        code, as beside a database
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_BUILDSTORE_H
#define TCGEMM_LIB_TUNER_MEASURE_BUILDSTORE_H

#include "tcgemm/Store/Store.h"

namespace tcgemm {

class BuildStore {
public:
  virtual ~BuildStore() = default;
  virtual llvm::Error put(const Build &build) = 0;
  /// The latest build of the key, by any ptxas unless one is specified.
  virtual llvm::Expected<std::optional<Build>> get(const BuildKey &key,
                                                   llvm::StringRef ptxas) = 0;
  /// Removes the files of a build's code, so that they are written again.
  virtual llvm::Error removeCode(const Build &build) = 0;
  /// The folder of the code.
  virtual std::string getCodePath() const = 0;
};

/// Also removes files of code that killed processes have not finished.
std::unique_ptr<BuildStore> createDatabaseBuilds(Store &store);
/// `folder` is that of a work list.
std::unique_ptr<BuildStore> createSharedBuilds(llvm::StringRef folder);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_BUILDSTORE_H
