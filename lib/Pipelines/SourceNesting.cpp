//===- SourceNesting.cpp - How deep MLIR text is nested -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/SourceNesting.h"

using namespace llvm;

/// Removes the string literal that `rest` begins with.
static void skipString(StringRef &rest) {
  rest = rest.drop_front();
  while (!rest.empty() && rest.front() != '"' && rest.front() != '\n')
    rest = rest.drop_front(rest.front() == '\\' && rest.size() > 1 ? 2 : 1);
  rest = rest.drop_front(rest.starts_with("\"") ? 1 : 0);
}

/// Removes what is no bracket, though it has the look of one.
static bool skipOther(StringRef &rest) {
  if (rest.front() == '"') {
    skipString(rest);
    return true;
  }
  if (rest.starts_with("//")) {
    rest = rest.drop_front(std::min(rest.find('\n'), rest.size()));
    return true;
  }
  for (StringRef token : {"->", ">=", "<="})
    if (rest.consume_front(token))
      return true;
  return false;
}

Error tcgemm::checkSourceNesting(StringRef source, StringRef name) {
  unsigned depth = 0;
  StringRef rest = source;
  while (!rest.empty()) {
    if (skipOther(rest))
      continue;
    char c = rest.front();
    if (StringRef("([{<").contains(c))
      ++depth;
    else if (StringRef(")]}>").contains(c) && depth > 0)
      --depth;
    if (depth > kMaxSourceNesting) {
      size_t line = source.drop_back(rest.size()).count('\n') + 1;
      return createStringError(name + ":" + Twine(line) +
                               ": error: brackets are nested more than " +
                               Twine(kMaxSourceNesting) + " deep");
    }
    rest = rest.drop_front();
  }
  return Error::success();
}
