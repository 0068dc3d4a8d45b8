//===- LegalityCases.cpp - Checking rules by twins -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityCases.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace tcgemm {

/// Leaves the last value of each key.
static std::string keepLast(StringRef text) {
  SmallVector<StringRef> items, kept;
  SplitString(text, items);
  for (StringRef item : items) {
    StringRef key = item.split('=').first;
    erase_if(kept,
             [&](StringRef other) { return other.split('=').first == key; });
    kept.push_back(item);
  }
  return join(kept, " ");
}

KernelConfig makeLegalityConfig(const char *text) {
  KernelConfig config;
  cantFail(config.apply(keepLast(text)));
  return config;
}

void checkLegalityTwins(ArrayRef<LegalityCase> cases, ProblemInfo problem) {
  for (const LegalityCase &test : cases) {
    SCOPED_TRACE(std::string(test.rule) + ": " + test.illegal);
    problem.aKContiguous = test.aKContiguous;
    problem.bKContiguous = test.bKContiguous;
    problem.tmaOutputs = test.tmaOutputs;
    problem.stageableInputs = test.stageableInputs;
    problem.leastOutputBytes = problem.mostOutputBytes = test.outputBytes;
    const ChipInfo &chip = cantFail(lookupChip(test.chip));
    for (const Violation &violation :
         findViolations(makeLegalityConfig(test.legal), chip, problem))
      ADD_FAILURE() << "legal twin: " << violation.message;
    bool found = false;
    std::string all;
    for (const Violation &violation :
         findViolations(makeLegalityConfig(test.illegal), chip, problem)) {
      all += violation.rule.str() + ": " + violation.message + "\n";
      found |= violation.rule == test.rule &&
               violation.message.find(test.message) != std::string::npos;
    }
    EXPECT_TRUE(found) << "expected: " << test.message << "\n" << all;
  }
}

} // namespace tcgemm
