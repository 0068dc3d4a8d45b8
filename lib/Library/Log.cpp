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

void library::log(const llvm::Twine &line) {
  const char *path = std::getenv("TCGEMM_LOG");
  if (!path || !*path)
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
