//===- Log.cpp - Messages of the replaced functions -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tcgemm;

/// Read once: it is asked for in each call.
static const char *getLogPath() {
  static const char *const path = std::getenv("TCGEMM_LOG");
  return path;
}

bool shim::isLogging() {
  const char *path = getLogPath();
  return path && *path;
}

void shim::log(const std::string &line) {
  if (isLogging())
    append(getLogPath(), "tcgemm-cublas: " + line + "\n");
}

void shim::complain(const std::string &line) {
  append("-", "tcgemm-cublas: " + line + "\n");
}

void shim::append(const char *path, const std::string &text) {
  if (std::strcmp(path, "-") == 0) {
    std::fputs(text.c_str(), stderr);
    return;
  }
  std::FILE *file = std::fopen(path, "a");
  if (!file) {
    std::fprintf(stderr, "tcgemm-cublas: cannot write '%s': %s\n", path,
                 std::strerror(errno));
    return;
  }
  // One call for each text, so that lines of threads do not mix.
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}
