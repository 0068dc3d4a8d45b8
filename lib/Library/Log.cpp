//===- Log.cpp - Messages for users who ask -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace tcgemm;

/// The path of the log; null if there is none.
static const char *getPath() {
  const char *path = std::getenv("TCGEMM_LOG");
  return path && *path ? path : nullptr;
}

bool library::isLogging() { return getPath(); }

void library::log(const llvm::Twine &line) {
  const char *path = getPath();
  if (!path)
    return;
  bool isStandard = std::strcmp(path, "-") == 0;
  std::FILE *file = isStandard ? stderr : std::fopen(path, "a");
  // A log that cannot be written is no reason to fail a product.
  if (!file)
    return;
  std::string text = "tcgemm: " + line.str() + "\n";
  std::fwrite(text.data(), 1, text.size(), file);
  if (!isStandard)
    std::fclose(file);
}
