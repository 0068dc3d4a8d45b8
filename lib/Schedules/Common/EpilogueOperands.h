//===- EpilogueOperands.h - Operands of a kernel's epilogue -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// The operand of each argument of the epilogue. The first argument is the
/// accumulator, -1; that of the second B is the accumulator with it.
llvm::SmallVector<int64_t> getOperandsOfArguments(KernelOp kernel);

/// Returns whether only functions of A's or B's elements read the operand of an
/// epilogue's argument.
bool isForElements(KernelOp kernel, unsigned argument);

/// The operand index of the scalar that multiplies epilogue argument `argument`
/// in its only use, or -1. This is BLAS's β: C is not read if β is 0.
int64_t findGuard(KernelOp kernel, mlir::BlockArgument argument,
                  llvm::ArrayRef<int64_t> operandOfArgument);

/// Returns whether the epilogue only converts the sums, but for reductions.
bool hasPlainEpilogue(KernelOp kernel);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H
