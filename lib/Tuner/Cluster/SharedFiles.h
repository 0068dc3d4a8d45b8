//===- SharedFiles.h - Files that several machines use --------------*- C++ -*-
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that are atomic on a shared file system, NFS included: exclusive
// creation, links, and appending to a file that has one writer.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_CLUSTER_SHAREDFILES_H
#define TCGEMM_LIB_TUNER_CLUSTER_SHAREDFILES_H

#include "tcgemm/Tuner/WorkFolder.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

std::string getHostName();
/// `HOST-PID`.
std::string getTaskName();

/// Creates a file with its contents, unless it exists. No reader sees a part of
/// it. Until then, the contents are in a file of `folder`/probes, which
/// `removeOldTemporaries` removes if the task is killed.
llvm::Error publishFile(const std::string &path, llvm::StringRef contents,
                        const std::string &folder);
/// Like `publishFile`, but replaces an existing file, and creates its folder.
llvm::Error replaceFile(const std::string &path, llvm::StringRef contents,
                        const std::string &folder);
/// Removes temporary files of the work list in `folder` that are older than
/// `seconds`: those of tasks that were killed.
llvm::Error removeOldTemporaries(const std::string &folder, double seconds);
/// True if this call created the file, false if it exists.
llvm::Expected<bool> createExclusively(const std::string &path,
                                       llvm::StringRef contents);
llvm::Expected<std::string> readWholeFile(const std::string &path);
/// The names of a folder's files in alphabetical order.
llvm::Expected<std::vector<std::string>> listFolder(const std::string &path);

/// The present time by the clock of the folder's file system, in seconds.
llvm::Expected<double> getFolderTime(const std::string &folder);
/// The time at which a file was touched; none if the file does not exist.
std::optional<double> getFileTime(const std::string &path);
/// Sets the time of a file to the present, or to 1970.
llvm::Error touchFile(const std::string &path);
llvm::Error expireFile(const std::string &path);

/// Reads what `WorkFolder::addCommand` has written.
llvm::Expected<std::vector<std::string>>
readCommandKeys(const std::string &path);
/// Reads what `WorkFolder::addList` has written.
llvm::Expected<ShardList> readShardList(const std::string &path);
/// Reads what `WorkFolder::finish` has written.
llvm::Expected<ShardResult> readShardResult(const std::string &path);

/// A file to which one task appends records. The file is created with the first
/// one.
class RecordLog {
public:
  static llvm::Expected<RecordLog> create(std::string folder);
  RecordLog() = default;
  RecordLog(RecordLog &&other) noexcept { *this = std::move(other); }
  RecordLog &operator=(RecordLog &&other) noexcept;
  ~RecordLog();

  /// Appends a whole line or nothing. Errors: the disk is full.
  llvm::Error append(const Record &record);
  llvm::Error sync();

private:
  llvm::Error open();

  std::string folder, path;
  int descriptor = -1;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_CLUSTER_SHAREDFILES_H
