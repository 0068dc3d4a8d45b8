//===- TraceLowering.h - Events in global memory ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_TRACELOWERING_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_TRACELOWERING_H

#include "LoweringContext.h"

namespace tcgemm {

/// Creates the variables of the program's trace in its module, if it writes
/// one.
void createTraceVariables(ProgramOp program);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_TRACELOWERING_H
