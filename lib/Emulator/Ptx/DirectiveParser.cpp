//===- DirectiveParser.cpp - Parser of directives without effect ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/DirectiveParser.h"

using namespace tcgemm::ptx;
using llvm::StringRef;

bool DirectiveParser::parseFile() {
  in.advance();
  uint64_t number = 0;
  if (constants.parseCount(number, UINT32_MAX, "the number of a file"))
    return true;
  if (!in.token().is(Kind::String))
    return in.failExpected("the name of a file");
  in.advance();
  // The time of the last change, and the size.
  for (int i = 0; i != 2 && in.consume(","); ++i)
    if (constants.parseCount(number, UINT64_MAX, "a number"))
      return true;
  return false;
}

bool DirectiveParser::parsePlace() {
  uint64_t number = 0;
  for (StringRef what : {"the number of a file", "a line", "a column"})
    if (constants.parseCount(number, UINT32_MAX, what))
      return true;
  return false;
}

bool DirectiveParser::parseLoc() {
  in.advance();
  uint64_t number = 0;
  if (parsePlace())
    return true;
  if (!in.consume(","))
    return false;
  // `, function_name LABEL[+4], inlined_at 1 2 3`; the label is in a debug
  // section, which is ignored.
  if (!in.token().is(Kind::Identifier) || in.token().text != "function_name")
    return in.failExpected("'function_name'");
  in.advance();
  if (!in.token().is(Kind::Identifier) && !in.token().is(Kind::DotWord))
    return in.failExpected("the label of a function's name");
  in.advance();
  if (in.consume("+") && constants.parseCount(number, UINT32_MAX, "an offset"))
    return true;
  if (in.expect(",", "before 'inlined_at'"))
    return true;
  if (!in.token().is(Kind::Identifier) || in.token().text != "inlined_at")
    return in.failExpected("'inlined_at'");
  in.advance();
  return parsePlace();
}

bool DirectiveParser::parseSection() {
  in.advance();
  if (!in.token().is(Kind::DotWord) && !in.token().is(Kind::Identifier))
    return in.failExpected("the name of a section");
  in.advance();
  uint32_t line = in.token().line;
  if (in.expect("{", "before a section's contents"))
    return true;
  while (!in.token().isOperator("}")) {
    if (in.token().is(Kind::End) || in.token().is(Kind::Invalid) ||
        in.token().isOperator("{"))
      return in.fail("the section that starts here does not end", line);
    in.advance();
  }
  in.advance();
  return false;
}

bool DirectiveParser::parsePragma() {
  in.advance();
  do {
    if (!in.token().is(Kind::String))
      return in.failExpected("a string after '.pragma'");
    in.advance();
  } while (in.consume(","));
  return in.expect(";", "after '.pragma'");
}

bool DirectiveParser::parseAttributes() {
  while (in.consumeWord("attribute")) {
    if (in.expect("(", "after '.attribute'"))
      return true;
    while (!in.consume(")")) {
      if (!in.token().is(Kind::DotWord) && !in.token().is(Kind::Number) &&
          !in.token().isOperator(",") && !in.token().isOperator("("))
        return in.failExpected("')' after attributes");
      // `.unified(1, 2)`
      bool isOpen = in.token().isOperator("(");
      in.advance();
      if (!isOpen)
        continue;
      while (in.token().is(Kind::Number) || in.token().isOperator(","))
        in.advance();
      if (in.expect(")", "after an attribute's numbers"))
        return true;
    }
  }
  return false;
}
