//===- SourceCheck.cpp - Text that crashes MLIR's parser ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/SourceCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace tcgemm;

namespace {

/// An operation whose custom parser reads a list of dimensions.
struct ListOperation {
  StringLiteral name, key;
  bool mayBeEmpty;
};

constexpr ListOperation kListOperations[] = {
    {"linalg.transpose", "permutation", false},
    {"linalg.broadcast", "dimensions", true},
    {"linalg.reduce", "dimensions", true},
};

/// Walks a text once, from front to back.
class SourceChecker {
public:
  SourceChecker(StringRef source, StringRef name)
      : source(source), name(name), rest(source) {}

  Error check() {
    while (!rest.empty()) {
      if (skipString() || skipComment() || skipArrow())
        continue;
      if (Error error = isWordStart() ? checkWord() : checkBracket())
        return error;
    }
    return Error::success();
  }

private:
  Error fail(const Twine &message) {
    size_t line = source.drop_back(rest.size()).count('\n') + 1;
    return createStringError(name + ":" + Twine(line) + ": error: " + message);
  }

  /// Skips a string literal, unless it is the quoted name of an operation whose
  /// list has to be checked.
  bool skipString() {
    if (!rest.starts_with("\""))
      return false;
    StringRef text = rest.drop_front();
    for (const ListOperation &op : kListOperations)
      if (text.starts_with((op.name + "\"").str())) {
        rest = text;
        return true;
      }
    while (!text.empty() && text.front() != '"' && text.front() != '\n')
      text = text.drop_front(text.front() == '\\' && text.size() > 1 ? 2 : 1);
    text.consume_front("\"");
    rest = text;
    return true;
  }

  bool skipComment() {
    if (!rest.starts_with("//"))
      return false;
    rest = rest.drop_front(std::min(rest.find('\n'), rest.size()));
    return true;
  }

  /// Skips tokens that contain a bracket character but are not brackets.
  bool skipArrow() {
    for (StringRef token : {"->", ">=", "<="})
      if (rest.consume_front(token))
        return true;
    return false;
  }

  bool isWordStart() const { return isAlpha(rest.front()); }

  Error checkWord() {
    StringRef word = rest.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; });
    rest = rest.drop_front(word.size());
    bool isQuoted = word.data() != source.data() && word.data()[-1] == '"';
    if (isQuoted)
      rest.consume_front("\"");
    for (const ListOperation &op : kListOperations)
      if (word == op.name)
        operation = &op;
    if (!operation || word != operation->key)
      return Error::success();
    const ListOperation &op = *operation;
    operation = nullptr;
    static const Regex list(
        "^[ \t\r\n]*=[ \t\r\n]*(array<i64[ \t\r\n]*:?|\\[)"
        "([ \t\r\n]*(-?[0-9]{1,9}([ \t\r\n]*,[ \t\r\n]*-?[0-9]{1,9})*)?)"
        "[ \t\r\n]*[]>]");
    SmallVector<StringRef> parts;
    if (!list.match(rest, &parts))
      return fail("'" + op.name + "' takes a list of integers as '" + op.key +
                  "'");
    if (!op.mayBeEmpty && parts[3].empty())
      return fail("'" + op.name + "' takes at least one dimension");
    return Error::success();
  }

  Error checkBracket() {
    char c = rest.front();
    rest = rest.drop_front();
    if (StringRef("([{<").contains(c))
      ++depth;
    else if (StringRef(")]}>").contains(c) && depth > 0)
      --depth;
    if (depth > kMaxSourceNesting)
      return fail("brackets are nested more than " + Twine(kMaxSourceNesting) +
                  " deep");
    return Error::success();
  }

  StringRef source, name;
  StringRef rest; ///< The text that is not checked yet.
  unsigned depth = 0;
  /// The operation whose list comes next.
  const ListOperation *operation = nullptr;
};

} // namespace

Error tcgemm::checkSource(StringRef source, StringRef name) {
  return SourceChecker(source, name).check();
}
