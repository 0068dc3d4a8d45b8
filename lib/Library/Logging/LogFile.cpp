//===- LogFile.cpp - Files that lines of messages are appended to ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogFile.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tcgemm;

const char *logfile::getPath() {
  const char *path = std::getenv("TCGEMM_LOG");
  return path && *path ? path : nullptr;
}

void logfile::append(const char *program, const char *path,
                     const std::string &text) {
  if (std::strcmp(path, "-") == 0) {
    std::fputs(text.c_str(), stderr);
    return;
  }
  std::FILE *file = std::fopen(path, "a");
  // One call for each text, so that lines of threads do not mix.
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file)
    isWritten &= std::fclose(file) == 0;
  if (!isWritten)
    std::fprintf(stderr, "%s: cannot write '%s': %s\n", program, path,
                 std::strerror(errno));
}

void logfile::appendLine(const char *program, const char *path,
                         const std::string &line) {
  append(program, path, std::string(program) + ": " + line + "\n");
}
