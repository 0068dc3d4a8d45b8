//===- TokenStream.cpp - Tokens and errors of the parser ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/TokenStream.h"
#include "Ptx/Limits.h"

using namespace tcgemm::ptx;
using llvm::StringRef;
using llvm::Twine;

bool TokenStream::fail(const Twine &what, uint32_t line) {
  // Later errors are consequences of the first one.
  if (!error.empty())
    return true;
  // An invalid token explains the error better.
  if (current.is(Kind::Invalid))
    error = ("line " + Twine(current.line) + ": " + current.text).str();
  else
    error = ("line " + Twine(line ? line : current.line) + ": " + what).str();
  return true;
}

bool TokenStream::failExpected(const Twine &what) {
  if (current.is(Kind::End))
    return fail("expected " + what + ", found the end");
  StringRef dot = current.is(Kind::DotWord) ? "." : "";
  StringRef quote = current.is(Kind::String) ? "\"" : "";
  return fail("expected " + what + ", found '" + dot + quote +
              current.text.take_front(64) + quote + "'");
}

bool TokenStream::consume(StringRef op) {
  if (!current.isOperator(op))
    return false;
  advance();
  return true;
}

bool TokenStream::consumeWord(StringRef dotWord) {
  if (!current.isDotWord(dotWord))
    return false;
  advance();
  return true;
}

bool TokenStream::expect(StringRef op, const Twine &where) {
  if (consume(op))
    return false;
  return failExpected("'" + op + "' " + where);
}

bool TokenStream::parseName(StringRef &name, const Twine &what) {
  if (!current.is(Kind::Identifier) || current.text == "_")
    return failExpected(what);
  name = current.text;
  advance();
  return false;
}

bool TokenStream::spend(uint64_t count) {
  nodes += count;
  if (nodes <= kMaxNodes)
    return false;
  return fail("the module is too large: over the limit of " + Twine(kMaxNodes) +
              " operands, a name counting as " + Twine(kNodesOfName) +
              " and an instruction as " + Twine(kNodesOfInstruction));
}
