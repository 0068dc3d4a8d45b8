//===- IndexLetters.h - The indices of one kind -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_INDEXLETTERS_H
#define TCGEMM_PROBLEM_INDEXLETTERS_H

#include "tcgemm/Problem/Contraction.h"

namespace tcgemm {

/// The indices of D of one kind, outermost first: those of a vector that an
/// epilogue reads along m or n, which has several dimensions if there are
/// several such indices. Empty if D has none.
std::string getResultIndices(const Contraction &contraction, IndexKind kind);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_INDEXLETTERS_H
