//===- EpilogueOperands.h - What a kernel's epilogue reads ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// The operand that each argument of the epilogue stands for; -1, the
/// accumulator, is the first.
llvm::SmallVector<int64_t> getOperandsOfArguments(KernelOp kernel);

/// The operand index of the scalar that multiplies epilogue argument `argument`
/// in its only use, or -1: BLAS's β, whose C is not read where β is 0.
int64_t findGuard(KernelOp kernel, mlir::BlockArgument argument,
                  llvm::ArrayRef<int64_t> operandOfArgument);

/// Whether the epilogue only converts the sums.
bool hasPlainEpilogue(KernelOp kernel);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_EPILOGUEOPERANDS_H
