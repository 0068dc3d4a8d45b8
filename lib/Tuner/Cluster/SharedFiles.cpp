//===- SharedFiles.cpp - Files that several machines use ----------------------
//===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster/SharedFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {

static Error makeError(StringRef action, const std::string &path) {
  return createStringError("cannot " + action + " '" + path +
                           "': " + std::strerror(errno));
}

std::string getHostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string getTaskName() {
  return getHostName() + "-" + std::to_string(::getpid());
}

/// Writes all bytes, or returns an error with the reason.
static Error writeAll(int descriptor, StringRef bytes,
                      const std::string &path) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeError("write", path);
    bytes = bytes.drop_front(count);
  }
  return Error::success();
}

Expected<bool> createExclusively(const std::string &path, StringRef contents) {
  int descriptor =
      ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST)
    return false;
  if (descriptor < 0)
    return makeError("create", path);
  Error error = writeAll(descriptor, contents, path);
  ::close(descriptor);
  if (!error)
    return true;
  ::unlink(path.c_str());
  return std::move(error);
}

/// Writes a file of its own, and returns its path.
static Expected<std::string> writeTemporary(StringRef contents,
                                            const std::string &folder) {
  for (unsigned number = 0;; ++number) {
    std::string path = folder + "/probes/" + getTaskName() + "." +
                       std::to_string(number) + ".tmp";
    Expected<bool> created = createExclusively(path, contents);
    if (!created)
      return created.takeError();
    if (*created)
      return path;
  }
}

Error publishFile(const std::string &path, StringRef contents,
                  const std::string &folder) {
  if (sys::fs::exists(path))
    return Error::success();
  Expected<std::string> temporary = writeTemporary(contents, folder);
  if (!temporary)
    return temporary.takeError();
  // A link does not replace a file that another task has published.
  int code = ::link(temporary->c_str(), path.c_str());
  Error error = code != 0 && errno != EEXIST ? makeError("create", path)
                                             : Error::success();
  ::unlink(temporary->c_str());
  return error;
}

Error replaceFile(const std::string &path, StringRef contents,
                  const std::string &folder) {
  StringRef parent = sys::path::parent_path(path);
  if (std::error_code code = sys::fs::create_directories(parent))
    return createStringError("cannot make the folder '" + parent +
                             "': " + code.message());
  Expected<std::string> temporary = writeTemporary(contents, folder);
  if (!temporary)
    return temporary.takeError();
  if (::rename(temporary->c_str(), path.c_str()) == 0)
    return Error::success();
  Error error = makeError("create", path);
  ::unlink(temporary->c_str());
  return error;
}

Expected<std::string> readWholeFile(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<std::vector<std::string>> listFolder(const std::string &path) {
  std::vector<std::string> names;
  std::error_code code;
  for (sys::fs::directory_iterator entry(path, code), end;
       entry != end && !code; entry.increment(code))
    names.push_back(sys::path::filename(entry->path()).str());
  if (code)
    return createStringError("cannot read '" + path + "': " + code.message());
  llvm::sort(names);
  return names;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static double getTime(const struct stat &status) {
  return static_cast<double>(status.st_mtim.tv_sec) +
         static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
}

/// No times: the present by the clock of the file system.
Error touchFile(const std::string &path) {
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0)
    return makeError("touch", path);
  return Error::success();
}

Error expireFile(const std::string &path) {
  timespec times[2] = {};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0)
    return makeError("touch", path);
  return Error::success();
}

Expected<double> getFolderTime(const std::string &folder) {
  std::string path = folder + "/probes/clock-" + getTaskName();
  int descriptor =
      ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return makeError("create", path);
  struct stat status{};
  bool isKnown =
      ::futimens(descriptor, nullptr) == 0 && ::fstat(descriptor, &status) == 0;
  Error error = isKnown ? Error::success() : makeError("touch", path);
  ::close(descriptor);
  ::unlink(path.c_str());
  if (error)
    return std::move(error);
  return getTime(status);
}

std::optional<double> getFileTime(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return std::nullopt;
  return getTime(status);
}

Error removeOldTemporaries(const std::string &folder, double seconds) {
  Expected<double> now = getFolderTime(folder);
  if (!now)
    return now.takeError();
  std::vector<std::string> old;
  for (const char *name : {"probes", "code"}) {
    std::error_code code;
    for (sys::fs::recursive_directory_iterator entry(folder + "/" + name, code),
         end;
         entry != end && !code; entry.increment(code)) {
      StringRef file = sys::path::filename(entry->path());
      if (!file.ends_with(".tmp") && !file.starts_with("clock-"))
        continue;
      std::optional<double> time = getFileTime(entry->path());
      if (time && *now - *time > seconds)
        old.push_back(entry->path());
    }
    // An error here is that another task has removed a file at the same time.
  }
  for (const std::string &path : old)
    ::unlink(path.c_str());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

RecordLog &RecordLog::operator=(RecordLog &&other) noexcept {
  std::swap(folder, other.folder);
  std::swap(path, other.path);
  std::swap(descriptor, other.descriptor);
  return *this;
}

RecordLog::~RecordLog() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Expected<RecordLog> RecordLog::create(std::string folder) {
  RecordLog log;
  log.folder = std::move(folder);
  return std::move(log);
}

/// A process number may occur again after a restart of the host.
Error RecordLog::open() {
  for (unsigned number = 0; descriptor < 0; ++number) {
    path =
        folder + "/" + getTaskName() + "." + std::to_string(number) + ".jsonl";
    descriptor = ::open(
        path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      return makeError("create", path);
  }
  return Error::success();
}

Error RecordLog::append(const Record &record) {
  if (descriptor < 0)
    if (Error error = open())
      return error;
  std::string line;
  raw_string_ostream(line) << json::Value(toJSON(record)) << '\n';
  off_t before = ::lseek(descriptor, 0, SEEK_END);
  Error error = writeAll(descriptor, line, path);
  if (!error)
    return Error::success();
  // Without the part of the line that was written.
  bool isRestored = before >= 0 && ::ftruncate(descriptor, before) == 0;
  return joinErrors(
      std::move(error),
      createStringError(isRestored
                            ? "what was written before is kept"
                            : "the last line of the file is incomplete"));
}

Error RecordLog::sync() {
  if (descriptor >= 0 && ::fdatasync(descriptor) != 0)
    return makeError("write", path);
  return Error::success();
}

} // namespace tcgemm
