//===- OutputFile.cpp - Files that are written as a whole -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
using Write = function_ref<Error(raw_ostream &)>;
} // namespace

/// Calls `write`, and reports what the stream could not write. An error that a
/// stream keeps would end the process.
static Error writeAll(StringRef path, raw_fd_ostream &os, Write write) {
  Error error = write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (error || !code)
    return error;
  return createFileError(path, code);
}

static Error writeInPlace(StringRef path, Write write) {
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                    sys::fs::OF_None);
  if (code)
    return createFileError(path, code);
  return writeAll(path, os, write);
}

static Error writeNew(StringRef path, Write write) {
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      path + ".%%%%%%%%.tmp", sys::fs::all_read | sys::fs::all_write);
  if (!file)
    return createFileError(path, errorToErrorCode(file.takeError()));
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  if (Error error = writeAll(path, os, write))
    return joinErrors(std::move(error), file->discard());
  if (Error error = file->keep(path))
    return createFileError(path, errorToErrorCode(std::move(error)));
  return Error::success();
}

Error tcgemm::writeOutputFile(StringRef path, Write write) {
  if (path == "-")
    return write(outs());
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return writeNew(path, write);
  // A rename would put a file in the place of a device, a pipe or a link.
  if (!sys::fs::is_regular_file(status))
    return writeInPlace(path, write);
  SmallString<256> file;
  if (std::error_code code = sys::fs::real_path(path, file))
    return createFileError(path, code);
  return writeNew(file, write);
}

Error tcgemm::checkOutputFile(StringRef path) {
  if (path == "-")
    return Error::success();
  auto fail = [&](const Twine &why) {
    return createStringError("cannot write '" + path + "': " + why);
  };
  if (sys::fs::is_directory(path))
    return fail("it is a folder");
  sys::fs::file_status status;
  SmallString<256> file(path);
  if (!sys::fs::status(path, status)) {
    // Other files than regular ones are written in place.
    if (!sys::fs::is_regular_file(status)) {
      if (std::error_code code =
              sys::fs::access(path, sys::fs::AccessMode::Write))
        return fail(code.message());
      return Error::success();
    }
    if (std::error_code code = sys::fs::real_path(path, file))
      return fail(code.message());
  }
  StringRef folder = sys::path::parent_path(file);
  if (folder.empty())
    folder = ".";
  if (sys::fs::exists(folder) && !sys::fs::is_directory(folder))
    return fail("'" + folder + "' is not a folder");
  if (std::error_code code =
          sys::fs::access(folder, sys::fs::AccessMode::Write))
    return fail("its folder: " + code.message());
  return Error::success();
}
