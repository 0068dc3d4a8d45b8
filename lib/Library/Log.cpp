//===- Log.cpp - Messages for users who ask -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"
#include "Logging/LogFile.h"

using namespace tcgemm;

bool library::isLogging() { return logfile::getPath(); }

void library::log(const llvm::Twine &line) {
  if (const char *path = logfile::getPath())
    logfile::appendLine("tcgemm", path, line.str());
}
