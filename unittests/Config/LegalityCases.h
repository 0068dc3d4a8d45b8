//===- LegalityCases.h - A rule and its violating twin -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_TARGET_LEGALITYCASES_H
#define TCGEMM_UNITTESTS_TARGET_LEGALITYCASES_H

#include "tcgemm/Config/Gemv.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Simt.h"
#include "tcgemm/Config/Wgmma.h"

namespace tcgemm {

struct LegalityCase {
  const char *rule;
  /// Applied to the defaults: legal, and its twin that breaks `rule`.
  const char *legal, *illegal;
  const char *message;
  const char *chip = "sm_90";
  bool aKContiguous = true, bKContiguous = true;
  bool tmaOutputs = true;
  /// The bytes of an element of each output.
  int64_t outputBytes = 2;
  int64_t stageableInputs = 1;
};

KernelConfig makeLegalityConfig(const char *text);

/// Expects of each case that the first configuration is legal and that the
/// second is refused with the rule's message.
void checkLegalityTwins(llvm::ArrayRef<LegalityCase> cases,
                        ProblemInfo problem = ProblemInfo());

llvm::ArrayRef<LegalityCase> getWgmmaLegalityCases();
llvm::ArrayRef<LegalityCase> getWmmaLegalityCases();
llvm::ArrayRef<LegalityCase> getSimtLegalityCases();
llvm::ArrayRef<LegalityCase> getGemvLegalityCases();

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_TARGET_LEGALITYCASES_H
