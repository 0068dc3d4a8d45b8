//===- WrittenParts.h - What a launch writes of its outputs -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_WRITTENPARTS_H
#define TCGEMM_LIB_RUNTIME_WRITTENPARTS_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// The parts of an output that the launch must write, and outside of which it
/// must write nothing: the rows that belong to groups of rows, otherwise all of
/// it. `operand` is the output's number among the kernel's operands. The images
/// of the problem have the sizes of the groups.
std::vector<BufferPart> listWrittenParts(const Problem &problem,
                                         const ProblemLaunch &launch,
                                         size_t operand);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_WRITTENPARTS_H
