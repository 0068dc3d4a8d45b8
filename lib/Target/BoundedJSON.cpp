//===- BoundedJSON.cpp - JSON from users ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/BoundedJSON.h"

using namespace llvm;

namespace tcgemm {

static bool isNestedTooDeep(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i != text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\' && i + 1 != text.size())
        ++i;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting)
        return true;
    } else if ((c == ']' || c == '}') && depth != 0) {
      --depth;
    }
  }
  return false;
}

Expected<json::Value> parseBoundedJSON(StringRef text) {
  if (isNestedTooDeep(text))
    return createStringError("nested deeper than " + Twine(kMaxNesting));
  return json::parse(text);
}

} // namespace tcgemm
