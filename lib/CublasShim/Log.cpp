//===- Log.cpp - Messages of the replaced functions -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"

#include "../Library/Logging/LogFile.h"

using namespace tcgemm;

static constexpr char kName[] = "tcgemm-cublas";

/// The path is read once, because each call asks for it.
static const char *getLogPath() {
  static const char *const path = logfile::getPath();
  return path;
}

bool shim::isLogging() { return getLogPath(); }

void shim::log(const std::string &line) {
  if (isLogging())
    logfile::appendLine(kName, getLogPath(), line);
}

void shim::complain(const std::string &line) {
  logfile::appendLine(kName, "-", line);
}

void shim::append(const char *path, const std::string &text) {
  logfile::append(kName, path, text);
}
